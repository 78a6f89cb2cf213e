//! Conditions that a question names, placed on the rows that are counted or listed.

use crate::money::{day_of, is_sale};
use crate::routes::{Misfit, Said, best_route, place_values};
use crate::said_periods::Period;
use crate::schema::{Name, NameKind, Schema, table_ref};
use text2sql_domain::schema::TypeCategory;
use text2sql_language::calendar::{parse_date, plus_days};
use text2sql_semantics::{ColumnRef, Condition, Expression, Function, Literal, Operator, Related};

/// A condition as the question names it, before it is known which rows are meant.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// Values that stand beside each other, as they may be of one column.
    Values {
        names: Vec<Vec<Name>>,
        is_negated: bool,
        near: Option<usize>,
        happens: bool,
        /// Whether each stands for itself: "both A and B".
        is_each: bool,
    },
    /// Values of the row of the same table that a row refers to: who reports to somebody.
    Above {
        table: usize,
        names: Vec<Name>,
    },
    Like {
        columns: Vec<(usize, usize)>,
        pattern: String,
        is_negated: bool,
    },
    AgainstAverage {
        columns: Vec<(usize, usize)>,
        operator: Operator,
    },
    Any(Vec<Asked>),
    Flag {
        table: usize,
        column: usize,
        is_negated: bool,
    },
    Missing {
        table: usize,
        column: usize,
        is_negated: bool,
    },
    Number {
        columns: Vec<(usize, usize)>,
        operator: Operator,
        low: String,
        high: Option<String>,
    },
    Columns {
        table: usize,
        left: usize,
        operator: Operator,
        right: usize,
    },
    /// The own value, against that of the row of the same table that it refers to: more than the boss.
    AgainstAbove {
        table: usize,
        column: usize,
        operator: Operator,
    },
    /// Days; by the date of that column, where the question names one.
    Days {
        period: Period,
        by: Option<(usize, usize)>,
    },
    /// Rows of the table that refer to it, perhaps in those days.
    Happened {
        table: usize,
        is_negated: bool,
    },
    /// A figure of the rows that refer to it, compared: "departments whose average salary is over 40000".
    Figure {
        function: Function,
        columns: Vec<(usize, usize)>,
        operator: Operator,
        number: String,
    },
    /// What an owner defined.
    Term {
        term: usize,
        is_negated: bool,
    },
    /// So many rows of the table refer to it.
    Counted {
        table: usize,
        operator: Operator,
        number: String,
    },
}

/// Places conditions on rows of the table `grain`.
pub(crate) fn place(
    schema: &Schema<'_>,
    grain: usize,
    asked: &[Asked],
    said: &mut Said,
) -> Result<Vec<Condition>, Misfit> {
    let has_happened = asked.iter().any(
        |one| matches!(one, Asked::Happened { table, .. } if day_of(schema, *table).is_some()),
    );
    let days: Vec<&Asked> = asked
        .iter()
        .filter(|one| matches!(one, Asked::Days { by: None, .. }))
        .collect();
    let is_dated = day_of(schema, grain).is_some() && !schema.has_name(grain);
    let is_beside_others = asked.iter().any(|one| {
        let is_none = matches!(
            one,
            Asked::Happened {
                is_negated: true,
                ..
            }
        );
        is_none || matches!(one, Asked::Counted { .. })
    });
    let mut placed: Vec<Condition> = Vec::new();
    let mut of_related: Vec<&[Vec<Name>]> = Vec::new();
    for one in asked {
        let is_other = matches!(
            one,
            Asked::Values { .. } | Asked::Number { .. } | Asked::Like { .. }
        );
        let known = placed.len();
        match one {
            Asked::Days { period, by } => {
                if by.is_none() && has_happened && !is_dated {
                    continue;
                }
                placed.push(place_days(schema, grain, period, *by, said)?);
            }
            // Each row has one of them.
            Asked::Happened { table, .. } | Asked::Counted { table, .. }
                if schema
                    .reach(grain, *table)
                    .is_some_and(|reached| !reached.path.is_empty())
                    && schema.reach(*table, grain).is_none() =>
            {
                return Err(Misfit::Ambiguous);
            }
            Asked::Happened {
                table,
                is_negated: false,
            } if *table == grain => {}
            Asked::Happened { table, is_negated } => {
                let mut inner = Vec::new();
                if !is_dated {
                    for day in &days {
                        if let Asked::Days { period, .. } = day {
                            inner.push(place_days(schema, *table, period, None, said)?);
                        }
                    }
                }
                // Both in one year and in another: a row for each.
                let each: Vec<Vec<Condition>> = match inner.len() {
                    0 | 1 => vec![inner],
                    _ if *is_negated => return Err(Misfit::Ambiguous),
                    _ => inner.into_iter().map(|one| vec![one]).collect(),
                };
                let (table, reached) = between(schema, *table, grain)?;
                let table = schema.table(table).ok_or(Misfit::Unreachable)?;
                placed.extend(each.into_iter().map(|conditions| Condition::Exists {
                    table: table_ref(table),
                    link: reached.path.clone(),
                    of: Vec::new(),
                    conditions,
                    is_negated: *is_negated,
                }));
            }
            Asked::Term { term, is_negated } => {
                let term = schema.terms.get(*term).ok_or(Misfit::Unreachable)?;
                let reached = schema.reach(grain, term.table).ok_or(Misfit::Unreachable)?;
                if reached.is_tied {
                    return Err(Misfit::Ambiguous);
                }
                placed.push(Condition::Defined {
                    condition: term.defined(&reached.path),
                    is_negated: *is_negated,
                });
            }
            Asked::Figure {
                function,
                columns,
                operator,
                number,
            } => {
                let mut found = columns.iter().filter_map(|(table, column)| {
                    let reached = schema.reach(*table, grain)?;
                    let is_sure = !reached.is_tied && !reached.path.is_empty();
                    is_sure.then_some((*table, *column, reached))
                });
                let (table, column, reached) = found.next().ok_or(Misfit::Unreachable)?;
                // Which of the rows count is not said where others are asked for as well.
                if found.next().is_some() || asked.len() > 1 {
                    return Err(Misfit::Ambiguous);
                }
                let of = schema.table(table).ok_or(Misfit::Unreachable)?;
                let value = schema.own_column(table, column, Vec::new());
                let related = Related {
                    table: table_ref(of),
                    link: reached.path,
                    function: *function,
                    of: value.map(Expression::Column),
                    conditions: Vec::new(),
                };
                placed.push(Condition::Compare {
                    left: Expression::Related(Box::new(related)),
                    operator: *operator,
                    right: Literal::Number(number.clone()),
                });
            }
            Asked::Counted {
                table,
                operator,
                number,
            } => {
                // Whether those with none are meant is not said.
                if matches!(operator, Operator::Less | Operator::AtMost) {
                    return Err(Misfit::Ambiguous);
                }
                let mut inner = Vec::new();
                for day in &days {
                    if let Asked::Days { period, .. } = day {
                        inner.push(place_days(schema, *table, period, None, said)?);
                    }
                }
                let counted = *table;
                let (table, reached) = between(schema, counted, grain)?;
                let of = schema.table(table).ok_or(Misfit::Unreachable)?;
                // Rows between may name one of them several times.
                let key = match schema.reach(table, counted) {
                    Some(other) if table != counted => {
                        let key = schema
                            .table(counted)
                            .map(|table| table.primary_key.as_slice());
                        let Some([key]) = key else {
                            return Err(Misfit::Ambiguous);
                        };
                        Some(ColumnRef {
                            path: other.path,
                            column: key.clone(),
                        })
                    }
                    _ => None,
                };
                let related = Related {
                    table: table_ref(of),
                    link: reached.path,
                    function: match key {
                        Some(_) => Function::CountDistinct,
                        None => Function::Count,
                    },
                    of: key.map(Expression::Column),
                    conditions: inner,
                };
                placed.push(Condition::Compare {
                    left: Expression::Related(Box::new(related)),
                    operator: *operator,
                    right: Literal::Number(number.clone()),
                });
            }
            Asked::Values {
                names,
                is_negated,
                near,
                happens,
                is_each,
            } => {
                let condition =
                    place_values(schema, grain, names, *is_negated, (*near, *happens), said);
                // "a score over 90 in Math": the value may be of the row that has the score.
                if matches!(condition, Err(Misfit::Unreachable)) && !is_negated && !is_each {
                    of_related.push(names);
                    continue;
                }
                let condition = condition?;
                match (is_each, is_through(&condition)) {
                    // No row has two values of one column.
                    (true, false) => return Err(Misfit::Unreachable),
                    (true, true) => placed.push(condition),
                    (false, _) => add_to_same(&mut placed, condition),
                }
            }
            Asked::Like {
                columns,
                pattern,
                is_negated,
            } => {
                let way = best_route(schema, grain, columns)?;
                placed.push(way.condition(schema, *is_negated, |column, is_negated| {
                    Condition::Like {
                        column,
                        pattern: pattern.clone(),
                        is_negated,
                    }
                })?);
            }
            // The average of which rows is not said.
            Asked::AgainstAverage { .. } if asked.len() > 1 => return Err(Misfit::Ambiguous),
            Asked::AgainstAverage { columns, operator } => {
                let own = columns.iter().find(|(table, _)| *table == grain);
                let (table, column) = own.copied().ok_or(Misfit::Unreachable)?;
                placed.push(Condition::AgainstAverage {
                    column: reach_column(schema, grain, table, column)?,
                    operator: *operator,
                });
            }
            Asked::Any(either) => {
                let either = place(schema, grain, either, said)?;
                placed.push(Condition::Any(either));
            }
            Asked::Above { table, names } => {
                let reached = schema.reach(grain, *table).ok_or(Misfit::Unreachable)?;
                let mut path = reached.path;
                path.push(schema.own_reference(*table).ok_or(Misfit::Unreachable)?);
                let own = names.iter().find_map(|name| match &name.kind {
                    NameKind::Value(of, column, value) if of == table => Some((*column, value)),
                    _ => None,
                });
                let (column, value) = own.ok_or(Misfit::Unreachable)?;
                placed.push(Condition::OneOf {
                    column: schema
                        .own_column(*table, column, path)
                        .ok_or(Misfit::Unreachable)?,
                    values: vec![Literal::Text(value.clone())],
                    is_negated: false,
                });
            }
            Asked::AgainstAbove {
                table,
                column,
                operator,
            } => {
                let mut above = reach_column(schema, grain, *table, *column)?;
                let left = Expression::Column(above.clone());
                let step = schema.own_reference(*table);
                above.path.push(step.ok_or(Misfit::Unreachable)?);
                placed.push(Condition::CompareColumns {
                    left,
                    operator: *operator,
                    right: Expression::Column(above),
                });
            }
            Asked::Flag {
                table,
                column,
                is_negated,
            } => {
                let of = reach_column(schema, grain, *table, *column)?;
                let category = schema.column(*table, *column).map(|column| column.category);
                placed.push(match category {
                    Some(TypeCategory::Boolean) => Condition::Truth {
                        column: of,
                        is_negated: *is_negated,
                    },
                    _ => Condition::Compare {
                        left: Expression::Column(of),
                        operator: Operator::Equal,
                        right: Literal::Number(if *is_negated { "0" } else { "1" }.to_owned()),
                    },
                });
            }
            Asked::Missing {
                table,
                column,
                is_negated,
            } => {
                let column = reach_column(schema, grain, *table, *column)?;
                placed.push(Condition::Null {
                    column,
                    is_negated: *is_negated,
                });
            }
            Asked::Number {
                columns,
                operator,
                low,
                high,
            } => {
                let way = best_route(schema, grain, columns)?;
                let condition = way.condition(schema, false, |column, _| {
                    let value = Expression::Column(column);
                    let low = Literal::Number(low.clone());
                    match high {
                        Some(high) => Condition::Between {
                            value,
                            low,
                            high: Literal::Number(high.clone()),
                        },
                        None => Condition::Compare {
                            left: value,
                            operator: *operator,
                            right: low,
                        },
                    }
                })?;
                add_to_same(&mut placed, condition);
            }
            Asked::Columns {
                table,
                left,
                operator,
                right,
            } => {
                let left = reach_column(schema, grain, *table, *left)?;
                let right = reach_column(schema, grain, *table, *right)?;
                placed.push(Condition::CompareColumns {
                    left: Expression::Column(left),
                    operator: *operator,
                    right: Expression::Column(right),
                });
            }
        }
        // Whether they are of the same rows is not said.
        let is_new_through = placed
            .get(known..)
            .unwrap_or_default()
            .iter()
            .any(is_through);
        if is_other && is_beside_others && is_new_through {
            return Err(Misfit::Ambiguous);
        }
    }
    for names in of_related {
        add_to_compared(schema, &mut placed, names, said)?;
    }
    Ok(placed)
}

/// Adds values that the grain does not reach to the only related rows whose number is compared, if each of these has one.
fn add_to_compared(
    schema: &Schema<'_>,
    placed: &mut [Condition],
    names: &[Vec<Name>],
    said: &mut Said,
) -> Result<(), Misfit> {
    let mut compared = placed.iter_mut().filter_map(|condition| match condition {
        Condition::Exists {
            table,
            conditions,
            is_negated: false,
            ..
        } => {
            let is_number = |one: &Condition| {
                matches!(one, Condition::Compare { .. } | Condition::Between { .. })
            };
            conditions
                .iter()
                .any(is_number)
                .then_some((table, conditions))
        }
        _ => None,
    });
    let (Some((table, conditions)), None) = (compared.next(), compared.next()) else {
        return Err(Misfit::Unreachable);
    };
    let at = (0..schema.tables.len())
        .find(|at| schema.table(*at).map(table_ref).as_ref() == Some(&*table))
        .ok_or(Misfit::Unreachable)?;
    match place_values(schema, at, names, false, (None, false), said)? {
        through if is_through(&through) => Err(Misfit::Unreachable),
        own => {
            conditions.push(own);
            Ok(())
        }
    }
}

fn is_through(condition: &Condition) -> bool {
    matches!(condition, Condition::Exists { .. })
}

/// The table whose rows relate a table to the grain: itself if it refers to it, or else the one that refers to both.
pub(crate) fn between(
    schema: &Schema<'_>,
    table: usize,
    grain: usize,
) -> Result<(usize, crate::schema::Reached), Misfit> {
    if let Some(reached) = schema.reach(table, grain) {
        return match reached.is_tied || reached.path.is_empty() {
            true => Err(Misfit::Ambiguous),
            false => Ok((table, reached)),
        };
    }
    let both = schema
        .referring(grain)
        .into_iter()
        .filter_map(|(at, link)| {
            let other = schema
                .reach(at, table)
                .filter(|other| !other.is_tied && !link.is_tied)?;
            Some((link.cost + other.cost, at, link))
        });
    let mut both: Vec<(usize, usize, crate::schema::Reached)> = both.collect();
    both.sort_by_key(|(cost, _, _)| *cost);
    match both.as_slice() {
        [] => Err(Misfit::Unreachable),
        [(one, _, _), (other, _, _), ..] if one == other => Err(Misfit::Ambiguous),
        [(_, at, link), ..] => Ok((*at, link.clone())),
    }
}

/// First and last name of one person are conditions on one row.
fn add_to_same(placed: &mut Vec<Condition>, condition: Condition) {
    if let Condition::Exists {
        table,
        link,
        of,
        conditions,
        is_negated: false,
    } = &condition
        && let Some(Condition::Exists {
            table: other,
            link: same,
            of: from,
            conditions: known,
            is_negated: false,
        }) = placed.last_mut()
        && table == other
        && link == same
        && of == from
    {
        known.extend(conditions.iter().cloned());
        return;
    }
    placed.push(condition);
}

pub(crate) fn reach_column(
    schema: &Schema<'_>,
    grain: usize,
    table: usize,
    column: usize,
) -> Result<ColumnRef, Misfit> {
    let reached = schema.reach(grain, table).ok_or(Misfit::Unreachable)?;
    if reached.is_tied {
        return Err(Misfit::Ambiguous);
    }
    schema
        .own_column(table, column, reached.path)
        .ok_or(Misfit::Unreachable)
}

fn place_days(
    schema: &Schema<'_>,
    grain: usize,
    period: &Period,
    by: Option<(usize, usize)>,
    said: &mut Said,
) -> Result<Condition, Misfit> {
    let column = match by {
        Some((table, column)) => reach_column(schema, grain, table, column)?,
        None => {
            if day_of(schema, grain).is_none()
                && let Some(year) = place_years(schema, grain, period)
            {
                said.extend(year_note(schema, grain));
                return Ok(year);
            }
            let (column, of) = day_of(schema, grain).ok_or(Misfit::Unreachable)?;
            if schema.has_name(grain) && !is_sale(schema, of) {
                // A thing is not of one day: "customers in 2024" has several meanings.
                return Err(Misfit::Ambiguous);
            }
            column
        }
    };
    said.extend(period_note(schema, grain, &column, period).map(|note| (note, true)));
    Ok(Condition::Period {
        column,
        from: period.from.clone(),
        before: period.before.clone(),
    })
}

/// Whole years of rows that have only a year.
fn place_years(schema: &Schema<'_>, grain: usize, period: &Period) -> Option<Condition> {
    let column = schema.year_column(grain)?;
    let year = |day: &Option<String>| -> Option<i32> {
        day.as_deref()?.strip_suffix("-01-01")?.parse().ok()
    };
    let left = Expression::Column(schema.own_column(grain, column, Vec::new())?);
    let compare = |left, operator, year: i32| Condition::Compare {
        left,
        operator,
        right: Literal::Number(year.to_string()),
    };
    Some(match (year(&period.from), year(&period.before)) {
        (Some(from), Some(before)) if before == from + 1 => compare(left, Operator::Equal, from),
        (Some(from), Some(before)) => Condition::Between {
            value: left,
            low: Literal::Number(from.to_string()),
            high: Literal::Number((before - 1).to_string()),
        },
        (Some(from), None) if period.before.is_none() => compare(left, Operator::AtLeast, from),
        (None, Some(before)) if period.from.is_none() => compare(left, Operator::Less, before),
        _ => return None,
    })
}

/// Which column is taken for the year of the rows.
fn year_note(schema: &Schema<'_>, grain: usize) -> Option<(String, bool)> {
    let column = schema.column(grain, schema.year_column(grain)?)?;
    let of = &schema.table(grain)?.name;
    Some((format!("the year is {of}.{}", column.name), true))
}

/// Which days of which date count.
pub(crate) fn period_note(
    schema: &Schema<'_>,
    grain: usize,
    column: &ColumnRef,
    period: &Period,
) -> Option<String> {
    let of = match column.path.last() {
        Some(step) => step.to.name.as_str(),
        None => schema.table(grain)?.name.as_str(),
    };
    let name = format!("{of}.{}", column.column);
    Some(match (&period.from, &period.before) {
        (Some(from), Some(before)) => {
            let last = plus_days(parse_date(before)?, -1);
            format!("the period is {name} from {from} to {last}")
        }
        (Some(from), None) => format!("the period is {name} from {from} on"),
        (None, Some(before)) => format!("the period is {name} before {before}"),
        (None, None) => return None,
    })
}
