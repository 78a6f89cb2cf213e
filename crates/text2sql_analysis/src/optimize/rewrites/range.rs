//! A function of a column as a half-open range of the column, which can use an index:
//! `at::date = '2025-01-31'`, `date_trunc('month', at) = …`, `extract(year FROM at) = 2025`.
//!
//! Valid for dates and for timestamps without time zone. With a time zone a day may begin twice,
//! so the two are not equivalent in every zone.

use jiff::ToSpan;
use jiff::civil::Date;
use sqlparser::ast::{BinaryOperator, DataType, Expr, Value};

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::syntax::{constant_text, read_call, without_parentheses};

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    for (number, filter) in top.block.filters().into_iter().enumerate() {
        let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = without_parentheses(filter)
        else {
            continue;
        };
        let Some((column, low, high)) = range(left, right) else {
            continue;
        };
        let Some(reference) = top.tree.resolve(top.position, column) else {
            continue;
        };
        let Some((_, described)) = top.tree.column(&reference) else {
            continue;
        };
        let is_local = match described.category {
            TypeCategory::Date => true,
            TypeCategory::Timestamp => top.tree.has_time_zone(top.position, column) == Some(false),
            _ => false,
        };
        if !is_local {
            continue;
        }
        let text = format!("({column} >= DATE '{low}' AND {column} < DATE '{high}')");
        found.extend(top.with_filter(number, &text).map(|sql| Rewrite {
            rule: "function_to_range",
            what: format!("`{filter}` is written as a range of {column}, which an index serves."),
            because: format!(
                "{column} has no time zone, and exactly its values from {low} to before {high} pass"
            ),
            sql,
            caveat: None,
        }));
    }
}

/// The column, the first day and the day after the last.
fn range<'e>(left: &'e Expr, right: &Expr) -> Option<(&'e Expr, Date, Date)> {
    match without_parentheses(left) {
        Expr::Cast {
            expr,
            data_type: DataType::Date,
            ..
        } => {
            let day = day(constant_text(right)?)?;
            Some((column(expr)?, day, day.tomorrow().ok()?))
        }
        Expr::Extract { field, expr, .. } if field.to_string().eq_ignore_ascii_case("year") => {
            let Expr::Value(value) = without_parentheses(right) else {
                return None;
            };
            let Value::Number(digits, _) = &value.value else {
                return None;
            };
            let year = digits.parse().ok().filter(|year| YEARS.contains(year))?;
            let first = Date::new(year, 1, 1).ok()?;
            Some((column(expr)?, first, end_of_unit(first, "year")?))
        }
        Expr::Function(function) => {
            let call = read_call(function);
            match (call.name.as_str(), call.arguments.as_slice()) {
                ("date", [value]) => {
                    let day = day(constant_text(right)?)?;
                    Some((column(value)?, day, day.tomorrow().ok()?))
                }
                ("date_trunc", [unit, value]) => {
                    let day = day(constant_text(right)?)?;
                    let high = end_of_unit(day, &constant_text(unit)?.to_lowercase())?;
                    Some((column(value)?, day, high))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn column(expression: &Expr) -> Option<&Expr> {
    let inner = without_parentheses(expression);
    matches!(inner, Expr::Identifier(_) | Expr::CompoundIdentifier(_)).then_some(inner)
}

/// The supported years: the day after the range must also have a four-digit year.
const YEARS: std::ops::Range<i16> = 1..9999;

/// Parses `2025-01-31`, also followed by the time 00:00:00.
fn day(text: &str) -> Option<Date> {
    let text = text.strip_suffix(" 00:00:00").unwrap_or(text);
    let is_plain = text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let date: Date = is_plain.then(|| text.parse().ok()).flatten()?;
    YEARS.contains(&date.year()).then_some(date)
}

/// The day after the unit that begins on this day, if one does.
fn end_of_unit(day: Date, unit: &str) -> Option<Date> {
    let length = match unit {
        "day" => 1.day(),
        "month" if day.day() == 1 => 1.month(),
        "year" if day.day_of_year() == 1 => 1.year(),
        _ => return None,
    };
    day.checked_add(length).ok()
}
