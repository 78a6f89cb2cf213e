//! Constants in words.

use sqlparser::ast::{Expr, Interval, UnaryOperator, Value};

use super::english::shorten;
use super::narrator::unexplained;

/// Longest text constant shown.
const TEXT_CHARACTERS: usize = 120;

/// A constant as a sentence shows it; dates and times (`is_bare`) go without quotes.
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

/// A text in quotes, on one line: in double quotes when it holds a single one.
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

/// The text of a string constant, however it is quoted.
pub(crate) fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::SingleQuotedString(text)
        | Value::EscapedStringLiteral(text)
        | Value::UnicodeStringLiteral(text)
        | Value::NationalStringLiteral(text) => Some(text),
        Value::DollarQuotedString(text) => Some(&text.value),
        _ => None,
    }
}

/// The text of an expression that is a string constant, casts and parentheses aside.
pub(crate) fn constant_text(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Value(value) => text_of(&value.value),
        Expr::TypedString(typed) => text_of(&typed.value.value),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => constant_text(inner),
        _ => None,
    }
}

/// Whether an expression is a constant.
pub(crate) fn is_constant(expression: &Expr) -> bool {
    match expression {
        Expr::Value(_) | Expr::TypedString(_) | Expr::Interval(_) => true,
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_constant(inner),
        Expr::UnaryOp {
            op: UnaryOperator::Minus | UnaryOperator::Plus,
            expr,
        } => is_constant(expr),
        _ => false,
    }
}

/// Whether an expression does not depend on the row: a constant, today, 30 days before now.
pub(super) fn is_fixed(expression: &Expr) -> bool {
    match expression {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_fixed(inner),
        Expr::BinaryOp { left, right, .. } => is_constant(right) && is_fixed(left),
        Expr::Function(function) => matches!(
            function.name.to_string().to_lowercase().as_str(),
            "now" | "current_date" | "current_timestamp" | "localtimestamp"
        ),
        _ => is_constant(expression),
    }
}

/// Whether an expression is the whole number `number`, such as the 1 in `count(1)`.
pub(super) fn is_number(expression: &Expr, number: &str) -> bool {
    matches!(expression, Expr::Value(value)
        if matches!(&value.value, Value::Number(digits, _) if digits == number))
}

/// Whether an expression is NULL.
pub(crate) fn is_null(expression: &Expr) -> bool {
    match expression {
        Expr::Value(value) => matches!(value.value, Value::Null),
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_null(inner),
        _ => false,
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
