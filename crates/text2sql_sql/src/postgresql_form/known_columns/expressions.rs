//! Expressions: comparisons of different types, LIKE, conditions that are counted, casts and rounding.

use sqlparser::ast::{BinaryOperator, DataType, Expr, Function, Value};

use super::columns::ColumnKind;
use super::kinds::{first_argument, is_arithmetic, is_comparison, is_condition};
use super::writing::Writing;
use crate::reader;

/// A constant text.
pub(super) fn text(text: &str) -> Expr {
    Expr::Value(Value::SingleQuotedString(text.to_owned()).into())
}

impl Writing<'_> {
    pub(super) fn expression(&self, expr: &mut Expr) {
        match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) => {
                self.alike(left, right);
                self.alike(right, left);
            }
            Expr::BinaryOp { left, op, right } if is_arithmetic(op) => {
                for side in [&mut *left, &mut *right] {
                    self.as_number(side);
                }
                if self.leniency.zero_division
                    && matches!(op, BinaryOperator::Divide | BinaryOperator::Modulo)
                    && constant_number(right).is_none_or(|number| number == 0.0)
                {
                    replace(right, |divisor| format!("NULLIF({divisor}, 0)"));
                }
            }
            Expr::BinaryOp {
                left,
                op: BinaryOperator::StringConcat,
                right,
            } => {
                for side in [left, right] {
                    self.as_text(side);
                }
            }
            Expr::Between {
                expr: value,
                low,
                high,
                ..
            } => {
                for bound in [low, high] {
                    self.alike(value, bound);
                    self.alike(bound, value);
                }
            }
            Expr::InList {
                expr: value, list, ..
            } => {
                for one in list {
                    self.alike(value, one);
                }
            }
            Expr::Like { expr: value, .. } => {
                self.as_text(value);
                // SQLite's LIKE does not see the case of letters.
                ignore_case(expr);
            }
            Expr::Substring { expr: value, .. } | Expr::Trim { expr: value, .. } => {
                self.as_text(value);
            }
            Expr::Cast {
                expr: inner,
                data_type,
                ..
            } => {
                let is_whole = matches!(self.kind(inner), Some(ColumnKind::Integer));
                if let Some(cast) = cast(inner, data_type, is_whole) {
                    replace_with(expr, &cast);
                }
            }
            Expr::Function(function) => {
                let rounded = self.call(function);
                if let Some(sql) = rounded {
                    replace_with(expr, &sql);
                }
            }
            _ => {}
        }
    }

    /// Makes `other` comparable with `value`, as SQLite does by the type of the column.
    fn alike(&self, value: &mut Expr, other: &mut Expr) {
        match self.kind(value) {
            Some(ColumnKind::Text) => {
                if let Some(number) = number_of(other) {
                    *other = text(&number);
                } else if matches!(
                    self.kind(other),
                    Some(
                        ColumnKind::Integer
                            | ColumnKind::Number
                            | ColumnKind::Date
                            | ColumnKind::Timestamp
                    )
                ) {
                    replace(other, |other| format!("({other})::text"));
                }
            }
            Some(ColumnKind::Boolean) => match number_of(other).as_deref() {
                Some("1") => replace(other, |_| "true".to_owned()),
                Some("0") => replace(other, |_| "false".to_owned()),
                _ => {}
            },
            // Dates are texts in SQLite, and compared with parts of dates.
            Some(ColumnKind::Date | ColumnKind::Timestamp) => {
                let is_part = text_of(other).is_some_and(|text| !is_moment(text))
                    || number_of(other).is_some();
                if is_part {
                    replace(value, |value| format!("({value})::text"));
                    if let Some(number) = number_of(other) {
                        *other = text(&number);
                    }
                }
            }
            _ => {}
        }
    }

    fn as_text(&self, expr: &mut Expr) {
        if matches!(self.kind(expr), Some(kind) if kind != ColumnKind::Text) {
            replace(expr, |value| format!("({value})::text"));
        }
    }

    /// A condition is 1 or 0, and a text is read as a number.
    fn as_number(&self, expr: &mut Expr) {
        match self.kind(expr) {
            Some(ColumnKind::Boolean) => replace(expr, |value| format!("({value})::int")),
            Some(ColumnKind::Text) => replace(expr, |value| format!("({value})::numeric")),
            _ => {}
        }
    }

    /// The call in another form; arguments are changed in place.
    fn call(&self, function: &mut Function) -> Option<String> {
        let name = function.name.to_string().to_lowercase();
        match name.as_str() {
            "sum" | "avg" | "total" | "abs" => {
                self.as_number(first_argument(function)?);
                (name == "total" && function.over.is_none()).then(|| {
                    let call = function.to_string();
                    let arguments = call.split_once('(').map_or("", |(_, rest)| rest);
                    format!("COALESCE(sum({arguments}, 0)")
                })
            }
            "round" => {
                let first = first_argument(function)?;
                if self.kind(first) != Some(ColumnKind::Integer) {
                    replace(first, |value| format!("({value})::numeric"));
                }
                None
            }
            "substr" | "substring" | "upper" | "lower" | "trim" | "ltrim" | "rtrim" | "replace"
            | "length" | "instr" => {
                self.as_text(first_argument(function)?);
                None
            }
            _ => None,
        }
    }
}

/// Casts to the types of SQLite, whose numbers have 64 bits and whose integers are cut off.
fn cast(inner: &Expr, data_type: &DataType, is_whole: bool) -> Option<String> {
    let name = data_type.to_string().to_uppercase();
    if name.contains("INT") {
        Some(match is_whole || is_condition(inner) {
            true => format!("CAST({inner} AS bigint)"),
            false => format!("CAST(trunc(({inner})::numeric) AS bigint)"),
        })
    } else if matches!(name.as_str(), "REAL" | "FLOAT" | "DOUBLE") {
        Some(format!("CAST({inner} AS double precision)"))
    } else {
        None
    }
}

fn ignore_case(expr: &mut Expr) {
    if let Expr::Like {
        negated,
        any,
        expr: value,
        pattern,
        escape_char,
    } = expr
    {
        *expr = Expr::ILike {
            negated: *negated,
            any: *any,
            expr: value.clone(),
            pattern: pattern.clone(),
            escape_char: escape_char.clone(),
        };
    }
}

/// Replaces an expression by one that is made of its text.
fn replace(expr: &mut Expr, sql: impl FnOnce(String) -> String) {
    let sql = sql(expr.to_string());
    replace_with(expr, &sql);
}

fn replace_with(expr: &mut Expr, sql: &str) {
    if let Ok(Some(new)) = reader::expression(sql) {
        *expr = new;
    }
}

fn number_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(text, _) => Some(text.clone()),
            _ => None,
        },
        Expr::Nested(inner) => number_of(inner),
        _ => None,
    }
}

fn constant_number(expr: &Expr) -> Option<f64> {
    number_of(expr)?.parse().ok()
}

fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a text is a whole date, with or without a time.
fn is_moment(text: &str) -> bool {
    let digits = |part: &str, length: usize| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (day, time) = match text.split_once([' ', 'T']) {
        Some((day, time)) => (day, Some(time)),
        None => (text, None),
    };
    let mut parts = day.split('-');
    let is_day = parts.next().is_some_and(|part| digits(part, 4))
        && parts.next().is_some_and(|part| digits(part, 2))
        && parts.next().is_some_and(|part| digits(part, 2))
        && parts.next().is_none();
    is_day
        && time.is_none_or(|time| {
            !time.is_empty()
                && time
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || b":.".contains(&byte))
        })
}
