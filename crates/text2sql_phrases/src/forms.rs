//! Placeholders, and phrases that have several forms.

use std::fmt::{Display, Write};

use crate::catalogue::Header;

/// Around and between the forms of a phrase that waits for the sentence around it. Private characters of Unicode:
/// no text has them.
const OPEN: char = '\u{E000}';
const BETWEEN: char = '\u{E001}';
const CLOSE: char = '\u{E002}';

/// Which form a placeholder needs.
#[derive(Clone, Copy)]
enum Form {
    /// The form with that number.
    Number(usize),
    /// The sentence around decides.
    Later,
}

/// A template with its placeholders filled. Only a translation has forms, of its language.
pub(super) fn fill(
    template: &str,
    parts: &[(&str, &dyn Display)],
    language: Option<&Header>,
) -> String {
    let has_forms = language.is_some();
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(place) = rest.find(|c| c == '{' || (has_forms && c == '[')) {
        let (before, from) = rest.split_at(place);
        text.push_str(before);
        let filled = match from.as_bytes().first() {
            Some(b'{') => placeholder(from, parts, language, &mut text),
            _ => alternatives(from, &mut text),
        };
        let length = filled.unwrap_or_else(|| {
            let length = from.chars().next().map_or(0, char::len_utf8);
            text.push_str(from.get(..length).unwrap_or_default());
            length
        });
        rest = from.get(length..).unwrap_or_default();
    }
    text.push_str(rest);
    text
}

/// Writes the value of the placeholder that a text begins with, and returns how long the placeholder is.
fn placeholder(
    from: &str,
    parts: &[(&str, &dyn Display)],
    language: Option<&Header>,
    text: &mut String,
) -> Option<usize> {
    let end = from.find('}')?;
    let (name, form) = from
        .get(1..end)?
        .split_once(':')
        .unwrap_or((from.get(1..end)?, ""));
    let (_, value) = parts.iter().find(|(part, _)| *part == name)?;
    let case = |name: &str| language?.cases.iter().position(|case| case == name);
    let form = match form {
        "keep" => Form::Later,
        name => Form::Number(case(name).unwrap_or(0)),
    };
    let mut written = String::new();
    // Writing to a text cannot fail.
    let _ = write!(written, "{value}");
    let has_forms = written.starts_with(OPEN);
    let value = chosen(written, form);
    let contracted = language
        .filter(|_| has_forms)
        .and_then(|language| contracted(text, &value, language));
    match contracted {
        Some((kept, end)) => {
            text.truncate(kept);
            text.push_str(&end);
        }
        None => text.push_str(&value),
    }
    Some(end + 1)
}

/// The last word of a text and the first of what follows as one, "vom" of "von dem": how much of the text is kept,
/// and what comes then.
fn contracted(text: &str, value: &str, language: &Header) -> Option<(usize, String)> {
    language.contractions.iter().find_map(|(long, short)| {
        let (first, second) = long.split_once(' ')?;
        let kept = text.strip_suffix(' ')?.strip_suffix(first)?;
        let rest = value.strip_prefix(second)?.strip_prefix(' ')?;
        let is_word = kept.is_empty() || kept.ends_with(' ');
        is_word.then(|| (kept.len(), format!("{short} {rest}")))
    })
}

/// Writes the forms that a text begins with, `[die|die|der]`, and returns how long they are.
fn alternatives(from: &str, text: &mut String) -> Option<usize> {
    let end = from.find(']')?;
    let forms = from.get(1..end)?;
    if !forms.contains('|') {
        return None;
    }
    text.push(OPEN);
    text.extend(forms.chars().map(|c| if c == '|' { BETWEEN } else { c }));
    text.push(CLOSE);
    Some(end + 1)
}

/// A text whose open phrases have a form.
fn chosen(text: String, form: Form) -> String {
    let Form::Number(number) = form else {
        return text;
    };
    if !text.contains(OPEN) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, from)) = rest.split_once(OPEN) {
        out.push_str(before);
        let (forms, after) = from.split_once(CLOSE).unwrap_or((from, ""));
        let form = forms.split(BETWEEN).nth(number);
        out.push_str(
            form.or_else(|| forms.split(BETWEEN).next())
                .unwrap_or_default(),
        );
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A finished sentence: what is still open takes its first form.
pub fn finished(text: String) -> String {
    chosen(text, Form::Number(0))
}
