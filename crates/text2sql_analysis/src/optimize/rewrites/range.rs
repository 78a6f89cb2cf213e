//! A function around a column as a half-open range of the column, which an index serves:
//! `at::date = '2025-01-31'`, `date_trunc('month', at) = …`, `extract(year FROM at) = 2025`.
//!
//! Holds for dates and for timestamps without time zone. With a time zone a day may begin twice,
//! so that the two are not equal in every zone.

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
fn range<'e>(left: &'e Expr, right: &Expr) -> Option<(&'e Expr, String, String)> {
    match without_parentheses(left) {
        Expr::Cast {
            expr,
            data_type: DataType::Date,
            ..
        } => {
            let day = Day::read(constant_text(right)?)?;
            Some((column(expr)?, day.to_string(), day.next().to_string()))
        }
        Expr::Extract { field, expr, .. } if field.to_string().eq_ignore_ascii_case("year") => {
            let Expr::Value(value) = without_parentheses(right) else {
                return None;
            };
            let Value::Number(digits, _) = &value.value else {
                return None;
            };
            let year = digits
                .parse::<u32>()
                .ok()
                .filter(|year| (1..9999).contains(year))?;
            Some((
                column(expr)?,
                format!("{year:04}-01-01"),
                format!("{:04}-01-01", year + 1),
            ))
        }
        Expr::Function(function) => {
            let call = read_call(function);
            match (call.name.as_str(), call.arguments.as_slice()) {
                ("date", [value]) => {
                    let day = Day::read(constant_text(right)?)?;
                    Some((column(value)?, day.to_string(), day.next().to_string()))
                }
                ("date_trunc", [unit, value]) => {
                    let day = Day::read(constant_text(right)?)?;
                    let (low, high) = day.unit(&constant_text(unit)?.to_lowercase())?;
                    Some((column(value)?, low.to_string(), high.to_string()))
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

/// A day of the years 1 to 9998.
#[derive(Clone, Copy, PartialEq)]
struct Day {
    year: u32,
    month: u32,
    day: u32,
}

impl Day {
    /// Reads `2025-01-31`, also with the time 00:00:00 behind it.
    fn read(text: &str) -> Option<Self> {
        let date = text.strip_suffix(" 00:00:00").unwrap_or(text);
        let mut parts = date.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
            return None;
        }
        let read = Self {
            year: year.parse().ok()?,
            month: month.parse().ok()?,
            day: day.parse().ok()?,
        };
        let is_real = (1..9999).contains(&read.year)
            && (1..=12).contains(&read.month)
            && (1..=read.days()).contains(&read.day);
        is_real.then_some(read)
    }

    /// Days of its month.
    fn days(self) -> u32 {
        let is_leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    fn next(self) -> Self {
        if self.day < self.days() {
            Self {
                day: self.day + 1,
                ..self
            }
        } else {
            Self { day: 1, ..self }.next_month()
        }
    }

    fn next_month(self) -> Self {
        if self.month < 12 {
            Self {
                month: self.month + 1,
                ..self
            }
        } else {
            Self {
                year: self.year + 1,
                month: 1,
                ..self
            }
        }
    }

    /// The unit that begins on this day, when one does, and the day after it.
    fn unit(self, unit: &str) -> Option<(Self, Self)> {
        match unit {
            "day" => Some((self, self.next())),
            "month" if self.day == 1 => Some((self, self.next_month())),
            "year" if self.day == 1 && self.month == 1 => Some((
                self,
                Self {
                    year: self.year + 1,
                    ..self
                },
            )),
            _ => None,
        }
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}
