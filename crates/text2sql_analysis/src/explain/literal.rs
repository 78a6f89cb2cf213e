//! Constants in words.

use sqlparser::ast::{Expr, Interval, Value};

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
        Value::Boolean(true) => "true".to_owned(),
        Value::Boolean(false) => "false".to_owned(),
        Value::Null => "no value (NULL)".to_owned(),
        Value::Placeholder(name) => format!("the parameter {name}"),
        other => unexplained(other),
    }
}

/// A quoted text on one line: in double quotes if it contains a single quote.
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "the empty text".to_owned();
    }
    if !text.contains(|c: char| !c.is_whitespace()) {
        return match text.chars().count() {
            1 => "a space".to_owned(),
            count => format!("{count} characters of white space"),
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
            constant_text(expr).map(|text| shorten(text, TEXT_CHARACTERS))
        }
        _ => None,
    }
}

fn written_interval(interval: &Interval) -> Option<String> {
    let text = shorten(constant_text(&interval.value)?, TEXT_CHARACTERS);
    let Some(field) = &interval.leading_field else {
        return Some(text);
    };
    let unit = field.to_string().to_lowercase();
    let is_plural = text != "1" && !unit.ends_with('s');
    Some(format!("{text} {unit}{}", if is_plural { "s" } else { "" }))
}
