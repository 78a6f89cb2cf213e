//! A function of a column as a half-open range of the column, which can use an index:
//! `at::date = '2025-01-31'`, `date_trunc('month', at) = …`, `extract(year FROM at) = 2025`.
//!
//! With a time zone the days are those of the session's zone, in the query and in the range. Both give the same rows
//! unless clocks are set back over midnight on one of the two days: the server is asked.

use jiff::ToSpan;
use jiff::civil::Date;
use sqlparser::ast::{BinaryOperator, DataType, Expr, Value};

use super::top_select::TopSelect;
use super::{Proviso, Rewrite};
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
        let zoned = match described.category {
            TypeCategory::Date => Some(false),
            TypeCategory::Timestamp => top.tree.has_time_zone(top.position, column),
            _ => None,
        };
        let Some(is_zoned) = zoned else {
            continue;
        };
        let (keyword, kind) = match is_zoned {
            true => (
                "TIMESTAMPTZ",
                "lies in a time zone where midnight comes once on these days",
            ),
            false => ("DATE", "has no time zone"),
        };
        let text = format!("({column} >= {keyword} '{low}' AND {column} < {keyword} '{high}')");
        found.extend(top.with_filter(number, &text).map(|sql| Rewrite {
            rule: "function_to_range",
            what: format!("`{filter}` is written as a range of {column}, which an index serves."),
            because: format!(
                "{column} {kind}, and exactly its values from {low} to before {high} pass"
            ),
            sql,
            caveat: None,
            proviso: is_zoned.then(|| midnight_comes_once(low, high)),
            is_simpler: false,
        }));
    }
}

/// That no moment near either midnight is on the other side of it by the clock.
fn midnight_comes_once(low: Date, high: Date) -> Proviso {
    Proviso {
        query: format!(
            "SELECT to_char(CAST(DATE '{low}' AS timestamptz), 'TZ') WHERE NOT EXISTS (SELECT 1 \
             FROM (VALUES (DATE '{low}'), (DATE '{high}')) AS ends(day), generate_series(1, 36) AS step \
             WHERE CAST(CAST(day AS timestamptz) - step * interval '5 minutes' AS timestamp) >= day \
             OR CAST(CAST(day AS timestamptz) + step * interval '5 minutes' AS timestamp) < day)"
        ),
        caveat: "The days are those of the session's time zone ({} on the first of them), as they are in the query.",
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
