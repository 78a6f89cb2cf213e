//! Conditions that a question names, placed on the rows that are counted or listed.

use crate::link::Period;
use crate::money::{day_of, is_sale};
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
    /// So many rows of the table refer to it.
    Counted {
        table: usize,
        operator: Operator,
        number: String,
    },
}

/// What is said of a condition: words, and whether it is a default.
pub(crate) type Said = Vec<(String, bool)>;

/// Why a condition has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    Unreachable,
    Ambiguous,
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
    let mut placed = Vec::new();
    for one in asked {
        match one {
            Asked::Days { period, by } => {
                if by.is_none() && has_happened && !is_dated {
                    continue;
                }
                placed.push(place_days(schema, grain, period, *by, said)?);
            }
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
                let (table, reached) = between(schema, *table, grain)?;
                let of = schema.table(table).ok_or(Misfit::Unreachable)?;
                let related = Related {
                    table: table_ref(of),
                    link: reached.path,
                    function: Function::Count,
                    of: None,
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
            } => {
                let condition =
                    place_values(schema, grain, names, *is_negated, (*near, *happens), said)?;
                let is_through = matches!(condition, Condition::Exists { .. });
                // Whether they are of the same rows is not said.
                let is_beside_others = asked.iter().any(|one| {
                    matches!(
                        one,
                        Asked::Happened {
                            is_negated: true,
                            ..
                        } | Asked::Counted { .. }
                    )
                });
                if is_through && is_beside_others {
                    return Err(Misfit::Ambiguous);
                }
                add_to_same(&mut placed, condition);
            }
            Asked::Like {
                columns,
                pattern,
                is_negated,
            } => {
                let (table, column) = nearest(schema, grain, columns)?;
                placed.push(Condition::Like {
                    column: reach_column(schema, grain, table, column)?,
                    pattern: pattern.clone(),
                    is_negated: *is_negated,
                });
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
                let mut found: Vec<(usize, ColumnRef)> = columns
                    .iter()
                    .filter_map(|(table, column)| {
                        let reached = schema.reach(grain, *table)?;
                        Some((
                            reached.cost,
                            schema.own_column(*table, *column, reached.path)?,
                        ))
                    })
                    .collect();
                found.sort_by_key(|(cost, _)| *cost);
                let column = match found.as_slice() {
                    [] => return Err(Misfit::Unreachable),
                    [(one, _), (other, _), ..] if one == other => return Err(Misfit::Ambiguous),
                    [(_, first), ..] => first.clone(),
                };
                let value = Expression::Column(column);
                placed.push(match high {
                    Some(high) => Condition::Between {
                        value,
                        low: Literal::Number(low.clone()),
                        high: Literal::Number(high.clone()),
                    },
                    None => Condition::Compare {
                        left: value,
                        operator: *operator,
                        right: Literal::Number(low.clone()),
                    },
                });
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
    }
    Ok(placed)
}

/// The table whose rows relate a table to the grain: itself if it refers to it, or else the one that refers to both.
fn between(
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

/// The column that is the nearest to the grain.
fn nearest(
    schema: &Schema<'_>,
    grain: usize,
    columns: &[(usize, usize)],
) -> Result<(usize, usize), Misfit> {
    let mut found: Vec<(usize, usize, usize)> = columns
        .iter()
        .filter_map(|(table, column)| Some((schema.reach(grain, *table)?.cost, *table, *column)))
        .collect();
    found.sort_unstable();
    match found.as_slice() {
        [] => Err(Misfit::Unreachable),
        [(one, ..), (other, ..), ..] if one == other => Err(Misfit::Ambiguous),
        [(_, table, column), ..] => Ok((*table, *column)),
    }
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

/// Which days of which date count.
fn period_note(
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

/// How well a place for a value fits; the less the better.
struct Fit {
    cost: f64,
    table: usize,
    column: usize,
    value: String,
    condition_on: Placed,
}

enum Placed {
    Reached(ColumnRef),
    Through {
        table: usize,
        of: Vec<text2sql_semantics::Step>,
        link: Vec<text2sql_semantics::Step>,
        column: ColumnRef,
    },
}

fn place_values(
    schema: &Schema<'_>,
    grain: usize,
    names: &[Vec<Name>],
    is_negated: bool,
    (near, happens): (Option<usize>, bool),
    said: &mut Said,
) -> Result<Condition, Misfit> {
    let Some((first, rest)) = names.split_first() else {
        return Err(Misfit::Unreachable);
    };
    let mut fits: Vec<Fit> = Vec::new();
    let is_of_near =
        |name: &Name| matches!(name.kind, NameKind::Value(table, _, _) if near == Some(table));
    let only_near = first.iter().any(is_of_near);
    for name in first {
        let NameKind::Value(table, column, value) = &name.kind else {
            continue;
        };
        // "Biology courses" are courses of it, whoever is asked for.
        if only_near && !is_of_near(name) {
            continue;
        }
        // All of them are values of the one column.
        let is_of_all = rest.iter().all(|other| {
            other.iter().any(
                |name| matches!(&name.kind, NameKind::Value(t, c, _) if t == table && c == column),
            )
        });
        if !is_of_all {
            continue;
        }
        let near_cost = match near {
            Some(near) if near == *table => -12.0,
            Some(near) => match schema.reach(near, *table) {
                Some(reached) => reached.cost as f64 - 11.0,
                None => 8.0,
            },
            None => 0.0,
        };
        let is_exact = schema.column(*table, *column).is_some_and(|column| {
            matches!(column.category, TypeCategory::Enum) || column.name.len() < 30
        });
        // Two columns with the name of a thing: that by which it is shown.
        let is_shown = schema.shown(*table).contains(column);
        let base = near_cost - if is_exact { 0.5 } else { 0.0 } - if is_shown { 1.5 } else { 0.0 };
        let party = if schema
            .table_words(*table)
            .iter()
            .any(|word| word == "customer")
        {
            -2.0
        } else {
            0.0
        };
        if let Some(reached) = schema.reach(grain, *table)
            && let Some(column_ref) = schema.own_column(*table, *column, reached.path.clone())
        {
            if reached.is_tied || schema.has_sibling(grain, &reached.path) {
                continue;
            }
            fits.push(Fit {
                cost: base + party + reached.cost as f64,
                table: *table,
                column: *column,
                value: value.clone(),
                condition_on: Placed::Reached(column_ref),
            });
            continue;
        }
        // Rows that are paired with it: films and their actors, their categories.
        for (pairs, near, far) in schema.pairs() {
            let Some(start) = schema.reach(grain, near.to) else {
                continue;
            };
            let Some(end) = schema.reach(far.to, *table) else {
                continue;
            };
            if start.is_tied || end.is_tied {
                continue;
            }
            let mut path = vec![far.step.clone()];
            path.extend(end.path.iter().cloned());
            if let Some(column_ref) = schema.own_column(*table, *column, path) {
                fits.push(Fit {
                    cost: base + 5.0 + (start.cost + 20 + end.cost) as f64,
                    table: *table,
                    column: *column,
                    value: value.clone(),
                    condition_on: Placed::Through {
                        table: pairs,
                        of: start.path.clone(),
                        link: vec![near.step.clone()],
                        column: column_ref,
                    },
                });
            }
        }
        if !happens && !only_near {
            continue;
        }
        // Through rows that refer to both: customers who ordered a product.
        for (through, link) in schema.referring(grain) {
            let Some(to_value) = schema.reach(through, *table) else {
                continue;
            };
            if link.is_tied || to_value.is_tied {
                continue;
            }
            if let Some(column_ref) = schema.own_column(*table, *column, to_value.path.clone()) {
                fits.push(Fit {
                    cost: base + 6.0 + (link.cost + to_value.cost) as f64,
                    table: *table,
                    column: *column,
                    value: value.clone(),
                    condition_on: Placed::Through {
                        table: through,
                        of: Vec::new(),
                        link: link.path,
                        column: column_ref,
                    },
                });
            }
        }
    }
    fits.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    let mut best = fits.into_iter();
    let chosen = best.next().ok_or(Misfit::Unreachable)?;
    if let Some(second) = best.next()
        && second.cost - chosen.cost < 1.0
        && (second.table, second.column) != (chosen.table, chosen.column)
    {
        return Err(Misfit::Ambiguous);
    }
    // "web shop" may be the web of the order's own channel as well as a department called so.
    let words = crate::table_names::words_of(&chosen.value);
    let is_own_too = chosen.cost > 8.0
        && words.len() > 1
        && words.iter().any(|word| {
            word.len() > 2
                && schema
                    .valued(&crate::table_names::stems(std::slice::from_ref(word)))
                    .iter()
                    .any(|name| match name.kind {
                        NameKind::Value(of, _, _) if of != chosen.table => {
                            let near = schema.reach(grain, of);
                            near.is_some_and(|near| near.cost as f64 + 5.0 < chosen.cost)
                        }
                        _ => false,
                    })
        });
    if is_own_too {
        return Err(Misfit::Ambiguous);
    }
    let mut values = vec![Literal::Text(chosen.value.clone())];
    for other in rest {
        let own = other.iter().find_map(|name| match &name.kind {
            NameKind::Value(table, column, value)
                if (*table, *column) == (chosen.table, chosen.column) =>
            {
                Some(value)
            }
            _ => None,
        });
        values.extend(own.map(|value| Literal::Text(value.clone())));
    }
    let table = schema
        .table(chosen.table)
        .map(|table| table.name.as_str())
        .unwrap_or_default();
    let column = schema
        .column(chosen.table, chosen.column)
        .map(|column| column.name.as_str());
    for value in &values {
        if let Literal::Text(value) = value {
            said.push((
                format!("'{value}' is {table}.{}", column.unwrap_or_default()),
                false,
            ));
        }
    }
    Ok(match chosen.condition_on {
        Placed::Reached(column) => Condition::OneOf {
            column,
            values,
            is_negated,
        },
        Placed::Through {
            table,
            of,
            link,
            column,
        } => Condition::Exists {
            table: table_ref(schema.table(table).ok_or(Misfit::Unreachable)?),
            link,
            of,
            conditions: vec![Condition::OneOf {
                column,
                values,
                is_negated: false,
            }],
            is_negated,
        },
    })
}
