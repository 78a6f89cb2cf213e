//! What a meaning is over rows, without SQL: by the plainest loops.

use std::collections::BTreeMap;

use text2sql_semantics::{
    Answer, ColumnRef, Condition, Dimension, Expression, Function, Literal, Operator,
    SemanticQuery, Step, Value,
};

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Number(f64),
    Text(String),
    Truth(bool),
}

pub(super) type Row = BTreeMap<String, Cell>;
pub(super) type Rows = BTreeMap<String, Vec<Row>>;

fn follow<'r>(rows: &'r Rows, row: &'r Row, path: &[Step]) -> Option<&'r Row> {
    let mut at = row;
    for step in path {
        let mut next = rows.get(&step.to.name)?.iter();
        at = next.find(|other| {
            step.key.iter().all(|key| {
                let (own, other) = (at.get(&key.own), other.get(&key.other));
                own.is_some_and(|own| *own != Cell::Null) && own == other
            })
        })?;
    }
    Some(at)
}

fn cell(rows: &Rows, row: &Row, column: &ColumnRef) -> Cell {
    let of = follow(rows, row, &column.path);
    of.and_then(|row| row.get(&column.column))
        .cloned()
        .unwrap_or(Cell::Null)
}

fn number(value: &Expression, rows: &Rows, row: &Row) -> Cell {
    match value {
        Expression::Column(column) => cell(rows, row, column),
        Expression::Related(related) => {
            let referring: Vec<&Row> = rows
                .get(&related.table.name)
                .into_iter()
                .flatten()
                .filter(|other| {
                    follow(rows, other, &related.link).is_some_and(|found| found == row)
                })
                .filter(|other| holds_all(&related.conditions, rows, other))
                .collect();
            let is_count = matches!(
                related.function,
                Function::Count | Function::CountDistinct | Function::Sum
            );
            match aggregate(related.function, related.of.as_ref(), rows, &referring) {
                Cell::Null if is_count => Cell::Number(0.0),
                value => value,
            }
        }
        _ => Cell::Null,
    }
}

fn aggregate(function: Function, of: Option<&Expression>, rows: &Rows, over: &[&Row]) -> Cell {
    let values: Vec<f64> = over
        .iter()
        .filter_map(|row| match of.map(|of| number(of, rows, row)) {
            None => Some(0.0),
            Some(Cell::Number(value)) => Some(value),
            Some(_) => None,
        })
        .collect();
    let some = |value: f64| {
        if values.is_empty() {
            Cell::Null
        } else {
            Cell::Number(value)
        }
    };
    match function {
        Function::Count => Cell::Number(values.len() as f64),
        Function::CountDistinct => {
            let mut different = values.clone();
            different.sort_by(f64::total_cmp);
            different.dedup();
            Cell::Number(different.len() as f64)
        }
        Function::Sum => some(values.iter().sum()),
        Function::Average => some(values.iter().sum::<f64>() / values.len().max(1) as f64),
        Function::Minimum => some(values.iter().copied().fold(f64::INFINITY, f64::min)),
        Function::Maximum => some(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        Function::Median => Cell::Null,
    }
}

fn holds_all(conditions: &[Condition], rows: &Rows, row: &Row) -> bool {
    conditions
        .iter()
        .all(|condition| holds(condition, rows, row))
}

fn compared(left: &Cell, operator: Operator, right: &Cell) -> bool {
    let (Cell::Number(left), Cell::Number(right)) = (left, right) else {
        return false;
    };
    match operator {
        Operator::Equal => left == right,
        Operator::NotEqual => left != right,
        Operator::Less => left < right,
        Operator::AtMost => left <= right,
        Operator::Greater => left > right,
        Operator::AtLeast => left >= right,
    }
}

fn holds(condition: &Condition, rows: &Rows, row: &Row) -> bool {
    match condition {
        Condition::Compare {
            left,
            operator,
            right: Literal::Number(right),
        } => {
            let value = number(left, rows, row);
            let right = Cell::Number(right.parse().unwrap_or_default());
            // What has no value has another one.
            *operator == Operator::NotEqual && value == Cell::Null
                || compared(&value, *operator, &right)
        }
        Condition::CompareColumns {
            left,
            operator,
            right,
        } => compared(
            &number(left, rows, row),
            *operator,
            &number(right, rows, row),
        ),
        Condition::OneOf {
            column,
            values,
            is_negated,
        } => {
            let own = cell(rows, row, column);
            let is_one = values.iter().any(|value| matches!((value, &own), (Literal::Text(value), Cell::Text(own)) if value == own));
            is_one != *is_negated
        }
        Condition::Null { column, is_negated } => {
            (cell(rows, row, column) == Cell::Null) != *is_negated
        }
        Condition::Truth { column, is_negated } => {
            (cell(rows, row, column) == Cell::Truth(true)) != *is_negated
        }
        Condition::Period {
            column,
            from,
            before,
        } => match cell(rows, row, column) {
            Cell::Text(day) => {
                from.as_ref().is_none_or(|from| day >= *from)
                    && before.as_ref().is_none_or(|before| day < *before)
            }
            _ => false,
        },
        Condition::Exists {
            table,
            link,
            of,
            conditions,
            is_negated,
        } => {
            let row = follow(rows, row, of);
            let mut others = rows.get(&table.name).into_iter().flatten();
            let is_there = others.any(|other| {
                row.is_some_and(|row| follow(rows, other, link).is_some_and(|found| found == row))
                    && holds_all(conditions, rows, other)
            });
            is_there != *is_negated
        }
        _ => false,
    }
}

fn shown(cell: &Cell) -> String {
    match cell {
        Cell::Null => "null".to_owned(),
        Cell::Number(number) => format!("{number:.6}"),
        Cell::Text(text) => text.clone(),
        Cell::Truth(truth) => if *truth { "t" } else { "f" }.to_owned(),
    }
}

pub(super) fn evaluate(query: &SemanticQuery, rows: &Rows) -> Vec<Vec<String>> {
    let all = rows.get(&query.subject.name).into_iter().flatten();
    let chosen: Vec<&Row> = all
        .filter(|row| holds_all(&query.conditions, rows, row))
        .collect();
    let mut found: Vec<Vec<String>> = match &query.answer {
        Answer::Exists => vec![vec![if chosen.is_empty() { "f" } else { "t" }.to_owned()]],
        Answer::Rows { columns, distinct } => {
            let mut listed: Vec<Vec<String>> = chosen
                .iter()
                .map(|row| {
                    columns
                        .iter()
                        .map(|column| shown(&number(&column.value, rows, row)))
                        .collect()
                })
                .collect();
            listed.sort();
            if *distinct {
                listed.dedup();
            }
            listed
        }
        Answer::Figures {
            measures,
            dimensions,
        } => {
            let mut groups: BTreeMap<Vec<String>, (Vec<String>, Vec<&Row>)> = BTreeMap::new();
            if dimensions.is_empty() {
                groups.insert(Vec::new(), (Vec::new(), Vec::new()));
            }
            for row in chosen {
                let (mut key, mut names, mut is_left_out) = (Vec::new(), Vec::new(), false);
                for dimension in dimensions {
                    match dimension {
                        Dimension::Column(column) => {
                            key.push(shown(&cell(rows, row, column)));
                            names.push(shown(&cell(rows, row, column)));
                        }
                        Dimension::Entity {
                            key: own,
                            names: shown_names,
                            ..
                        } => {
                            is_left_out |= own
                                .iter()
                                .any(|column| cell(rows, row, column) == Cell::Null);
                            key.extend(own.iter().map(|column| shown(&cell(rows, row, column))));
                            names.extend(
                                shown_names
                                    .iter()
                                    .map(|column| shown(&cell(rows, row, column))),
                            );
                        }
                        Dimension::Date(..) => {}
                    }
                }
                if !is_left_out {
                    groups
                        .entry(key)
                        .or_insert_with(|| (names, Vec::new()))
                        .1
                        .push(row);
                }
            }
            groups
                .into_values()
                .map(|(mut names, members)| {
                    for measure in measures {
                        let Value::Aggregate(one) = &measure.value else {
                            continue;
                        };
                        let counted: Vec<&Row> = members
                            .iter()
                            .copied()
                            .filter(|row| holds_all(&one.only, rows, row))
                            .collect();
                        names.push(shown(&aggregate(
                            one.function,
                            one.of.as_ref(),
                            rows,
                            &counted,
                        )));
                    }
                    names
                })
                .collect()
        }
    };
    found.sort();
    found
}
