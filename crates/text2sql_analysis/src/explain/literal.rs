//! Constants in words.

use sqlparser::ast::{Expr, Interval, Value};
use text2sql_phrases::say;

use super::narrator::unexplained;
use text2sql_language::english::shorten;
use text2sql_sql::tree::syntax::{constant_text, text_of};

/// Maximum length of a displayed text constant, in characters.
const TEXT_CHARACTERS: usize = 120;

/// A constant in a sentence; dates and times (`is_bare`) are not quoted.
pub(super) fn literal(value: &Value, is_bare: bool) -> String {
    if let Some(text) = text_of(value) {
        return if is_bare {
            shorten(text, TEXT_CHARACTERS)
        } else {
            quoted(text)
        };
    }
    match value {
        Value::Number(number, _) => number.clone(),
        Value::Boolean(true) => say!("true"),
        Value::Boolean(false) => say!("false"),
        Value::Null => say!("no value (NULL)"),
        Value::Placeholder(name) => say!("the parameter {name}"),
        other => unexplained(other),
    }
}

/// A quoted text on one line: in double quotes if it contains a single quote.
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return say!("the empty text");
    }
    if !text.contains(|c: char| !c.is_whitespace()) {
        return match text.chars().count() {
            1 => say!("a space"),
            count => say!("{count} characters of white space"),
        };
    }
    let is_padded = text.trim() != text;
    let line = shorten(text, TEXT_CHARACTERS);
    let line = if is_padded && text.chars().count() <= TEXT_CHARACTERS && !text.contains('\n') {
        text.replace(char::is_control, "")
    } else {
        line
    };
    if line.contains('\'') {
        format!("\"{line}\"")
    } else {
        format!("'{line}'")
    }
}

/// The text of `interval '30 days'` or `'30 days'::interval`: "30 days".
pub(super) fn interval_words(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Interval(interval) => written_interval(interval),
        Expr::Nested(inner) => interval_words(inner),
        Expr::Cast {
            expr, data_type, ..
        } if data_type.to_string().to_lowercase().starts_with("interval") => {
            constant_text(expr).map(|text| spoken(&shorten(text, TEXT_CHARACTERS)))
        }
        _ => None,
    }
}

fn written_interval(interval: &Interval) -> Option<String> {
    let text = shorten(constant_text(&interval.value)?, TEXT_CHARACTERS);
    let Some(field) = &interval.leading_field else {
        return Some(spoken(&text));
    };
    let unit = field.to_string().to_lowercase();
    let is_plural = text != "1" && !unit.ends_with('s');
    let plural = if is_plural { "s" } else { "" };
    Some(spoken(&format!("{text} {unit}{plural}")))
}

/// An interval with its units in the current language.
fn spoken(text: &str) -> String {
    let words: Vec<String> = text
        .split(' ')
        .map(|word| match word.chars().all(|c| c.is_ascii_lowercase()) {
            true => say(word, &[]),
            false => word.to_owned(),
        })
        .collect();
    words.join(" ")
}
