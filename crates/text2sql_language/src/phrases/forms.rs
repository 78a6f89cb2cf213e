//! Placeholders, and phrases that have several forms.

use std::fmt::{Display, Write};

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

/// A template with its placeholders filled; only a translation has forms.
pub(super) fn fill(template: &str, parts: &[(&str, &dyn Display)], has_forms: bool) -> String {
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some(place) = rest.find(|c| c == '{' || (has_forms && c == '[')) {
        let (before, from) = rest.split_at(place);
        text.push_str(before);
        let filled = match from.as_bytes().first() {
            Some(b'{') => placeholder(from, parts, &mut text),
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
fn placeholder(from: &str, parts: &[(&str, &dyn Display)], text: &mut String) -> Option<usize> {
    let end = from.find('}')?;
    let (name, form) = from
        .get(1..end)?
        .split_once(':')
        .unwrap_or((from.get(1..end)?, ""));
    let (_, value) = parts.iter().find(|(part, _)| *part == name)?;
    let form = match form {
        "acc" => Form::Number(1),
        "dat" => Form::Number(2),
        "keep" => Form::Later,
        _ => Form::Number(0),
    };
    let mut written = String::new();
    // Writing to a text cannot fail.
    let _ = write!(written, "{value}");
    let has_forms = written.starts_with(OPEN);
    let value = chosen(written, form);
    match contraction(text, &value).filter(|_| has_forms) {
        Some((short, rest)) => {
            text.truncate(text.trim_end().rfind(' ').map_or(0, |place| place + 1));
            text.push_str(short);
            text.push_str(rest);
        }
        None => text.push_str(&value),
    }
    Some(end + 1)
}

/// A preposition at the end of a text and the article after it, as one word, and what follows.
fn contraction<'v>(text: &str, value: &'v str) -> Option<(&'static str, &'v str)> {
    let rest = value.strip_prefix("dem ")?;
    match text.trim_end().rsplit(' ').next() {
        Some("von") if text.ends_with(' ') => Some(("vom ", rest)),
        Some("in") if text.ends_with(' ') => Some(("im ", rest)),
        Some("zu") if text.ends_with(' ') => Some(("zum ", rest)),
        _ => None,
    }
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
