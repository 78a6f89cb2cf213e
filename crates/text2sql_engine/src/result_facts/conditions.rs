//! The periods that a query keeps, and the days that its data cover.

use sqlparser::ast::{BinaryOperator, DateTimeField, Expr};

use text2sql_domain::schema::TypeCategory;
use text2sql_domain::schema::quote_identifier;
use text2sql_sql::tree::syntax::{constant_text, read_call, without_casts};
use text2sql_sql::tree::{Tree, subqueries, walk};

/// A period that a query keeps: bounds as SQL, which the server computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodCondition {
    /// The SQL name of the table.
    table: String,
    /// The SQL name of the column.
    column: String,
    /// `table.column`, for display.
    pub label: String,
    /// The first moment.
    from: Option<String>,
    /// The last moment.
    to: Option<String>,
}

/// The query for the first and last day of the data, and of the period; independent of DateStyle.
pub fn data_range_sql(period: &PeriodCondition) -> String {
    let PeriodCondition {
        table,
        column,
        from,
        to,
        ..
    } = period;
    let day = |bound: &Option<String>| match bound {
        Some(bound) => format!("to_char({bound}, 'YYYY-MM-DD')"),
        None => "NULL::text".to_owned(),
    };
    format!(
        "SELECT to_char(min({column}), 'YYYY-MM-DD') AS first_day, to_char(max({column}), 'YYYY-MM-DD') AS last_day, \
         {} AS from_day, {} AS to_day\nFROM {table}",
        day(from),
        day(to)
    )
}

/// The periods in the conditions of a query.
pub(super) fn periods(tree: &Tree<'_>) -> Vec<PeriodCondition> {
    let mut found: Vec<PeriodCondition> = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        let joined = block
            .sources
            .iter()
            .flat_map(|source| source.conditions.iter().copied());
        for filter in block.filters().into_iter().chain(joined) {
            for (place, from, to) in bounds(filter) {
                let Some(mut period) = period_of(tree, position, place) else {
                    continue;
                };
                (period.from, period.to) = (from, to);
                let known = found
                    .iter_mut()
                    .find(|known| known.table == period.table && known.column == period.column);
                match known {
                    Some(known) => {
                        known.from = known.from.take().or(period.from);
                        known.to = known.to.take().or(period.to);
                    }
                    None => found.push(period),
                }
            }
        }
    }
    found
}

fn period_of(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<PeriodCondition> {
    let reference = tree.resolve(block, expression)?;
    let (table, column) = tree.column(&reference)?;
    let is_time = matches!(
        column.category,
        TypeCategory::Date | TypeCategory::Timestamp
    );
    is_time.then(|| PeriodCondition {
        table: table.sql_name(),
        column: quote_identifier(&column.name),
        label: format!("{}.{}", table.name, column.name),
        from: None,
        to: None,
    })
}

/// A column with the first and the last moment that a condition keeps, as SQL.
type Bounds<'e> = (&'e Expr, Option<String>, Option<String>);

fn bounds(filter: &Expr) -> Vec<Bounds<'_>> {
    match filter {
        Expr::Nested(inner) => bounds(inner),
        Expr::Between {
            expr,
            negated: false,
            low,
            high,
        } if is_fixed(low) && is_fixed(high) => {
            vec![(without_casts(expr), Some(moment(low)), Some(moment(high)))]
        }
        Expr::BinaryOp { left, op, right } => {
            let (place, op, bound) = match (is_fixed(left), is_fixed(right)) {
                (false, true) => (left, op.clone(), right),
                (true, false) => (right, turned(op), left),
                _ => return Vec::new(),
            };
            compared(place, &op, bound).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn compared<'e>(place: &'e Expr, op: &BinaryOperator, bound: &Expr) -> Option<Bounds<'e>> {
    if let Some((column, first, length)) = part_of_time(place, bound) {
        if *op != BinaryOperator::Eq {
            return None;
        }
        let last = format!("{first} + INTERVAL '{length}' - INTERVAL '1 microsecond'");
        return Some((column, Some(first), Some(last)));
    }
    let (moment, column) = (moment(bound), without_casts(place));
    Some(match op {
        BinaryOperator::GtEq | BinaryOperator::Gt => (column, Some(moment), None),
        BinaryOperator::LtEq => (column, None, Some(moment)),
        BinaryOperator::Lt => (
            column,
            None,
            Some(format!("{moment} - INTERVAL '1 microsecond'")),
        ),
        BinaryOperator::Eq => (column, Some(moment.clone()), Some(moment)),
        _ => return None,
    })
}

/// `extract(year FROM column) = 2031` and the like: the column, the first moment, and the length.
fn part_of_time<'e>(place: &'e Expr, bound: &Expr) -> Option<(&'e Expr, String, &'static str)> {
    let year = |text: String| {
        let year = text
            .trim_matches('\'')
            .parse::<i32>()
            .ok()
            .filter(|year| (1..=9999).contains(year))?;
        Some(format!("make_timestamp({year}, 1, 1, 0, 0, 0)"))
    };
    match without_casts(place) {
        Expr::Extract {
            field: DateTimeField::Year,
            expr,
            ..
        } => Some((without_casts(expr), year(bound.to_string())?, "1 year")),
        Expr::Function(function) => {
            let call = read_call(function);
            let (first, second) = (call.arguments.first()?, call.arguments.get(1)?);
            let length = |unit: &str| match unit {
                "year" => Some("1 year"),
                "quarter" => Some("3 months"),
                "month" => Some("1 month"),
                "week" => Some("7 days"),
                "day" => Some("1 day"),
                _ => None,
            };
            match call.name.as_str() {
                "date_trunc" => Some((
                    without_casts(second),
                    moment(bound),
                    length(constant_text(first)?)?,
                )),
                "date_part" if constant_text(first) == Some("year") => {
                    Some((without_casts(second), year(bound.to_string())?, "1 year"))
                }
                "to_char" if constant_text(second) == Some("YYYY") => {
                    Some((without_casts(first), year(bound.to_string())?, "1 year"))
                }
                "to_char" if constant_text(second) == Some("YYYY-MM") => {
                    let month = constant_text(bound).filter(|month| month.len() == 7)?;
                    let first_day = text2sql_domain::schema::quote_literal(&format!("{month}-01"));
                    Some((
                        without_casts(first),
                        format!("({first_day})::timestamp"),
                        "1 month",
                    ))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn moment(bound: &Expr) -> String {
    format!("({bound})::timestamp")
}

/// Whether an expression names no column, so that it can be computed alone.
fn is_fixed(expression: &Expr) -> bool {
    let mut is_fixed = subqueries(expression).is_empty();
    walk(expression, &mut |part| {
        is_fixed &= !matches!(
            part,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::CompoundFieldAccess { .. }
        );
    });
    is_fixed
}

fn turned(op: &BinaryOperator) -> BinaryOperator {
    match op {
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        same => same.clone(),
    }
}
