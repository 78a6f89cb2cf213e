//! Texts that arrive in English, with their values in them: a reason that rules of the grammar work with, and that is
//! told to a reader at the end. Their entries have a context, such as `reason`, and `{}` for each value in the same
//! order.

use crate::language::Language;

/// The text in a language; unchanged if no entry of its file matches. The first that matches is taken.
pub fn retold(language: Language, context: &str, text: &str) -> String {
    retold_with(language, context, text, |_| None)
}

/// The text in a language as [`retold`] says it, with the values in the words that `said` has for them.
pub fn retold_with(
    language: Language,
    context: &str,
    text: &str,
    said: impl Fn(&str) -> Option<String>,
) -> String {
    if language == Language::ENGLISH {
        return text.to_owned();
    }
    let entries = language.entries();
    let found = entries.iter().find_map(|entry| {
        let (said_as, template) = entry.key.split_once('^')?;
        let values = values(template, text).filter(|_| said_as == context)?;
        let word = |value: &&str| said(value).unwrap_or_else(|| (*value).to_owned());
        let values: Vec<String> = values.iter().map(word).collect();
        Some(filled(entry.texts.first()?, &values))
    });
    found.unwrap_or_else(|| text.to_owned())
}

/// Whether a text is what a template says, in English or as [`retold`] in that language.
pub fn is_told(language: Language, context: &str, template: &str, text: &str) -> bool {
    let translated = language.0.text(&format!("{context}^{template}"), None);
    values(template, text).is_some()
        || translated.is_some_and(|translated| values(translated, text).is_some())
}

/// The values in a text, if it matches the template.
fn values<'t>(template: &str, text: &'t str) -> Option<Vec<&'t str>> {
    let mut parts = template.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let mut found = Vec::new();
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        let end = if parts.peek().is_none() {
            rest.strip_suffix(part).map(str::len)?
        } else {
            rest.find(part)?
        };
        found.push(rest.get(..end)?);
        rest = rest.get(end + part.len()..)?;
    }
    rest.is_empty().then_some(found)
}

fn filled(template: &str, values: &[String]) -> String {
    let mut values = values.iter();
    let mut parts = template.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str(values.next().map_or("", String::as_str));
        text.push_str(part);
    }
    text
}
