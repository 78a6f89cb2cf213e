//! The cheapest path along foreign keys, when there is exactly one.

use std::collections::HashMap;
use std::sync::Arc;

use crate::schema::Table;

/// One step along a foreign key, in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Columns of `from` and `to` that are equal.
    pub(super) pairs: Vec<(String, String)>,
    /// A row of `from` meets at most one row of `to`.
    pub(super) is_to_one: bool,
}

/// Why there is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPath {
    /// The tables are not connected.
    Unconnected,
    /// Several paths are as good.
    Several,
}

/// The foreign keys between the tables, both ways.
pub(super) struct Joins {
    steps: Vec<Vec<Step>>,
}

/// A step down a hierarchy is worth less than a step up: rows multiply.
const UP: u32 = 10;
const DOWN: u32 = 13;
const FARTHEST: u32 = 50;
/// In a schema this dense a path would be a guess.
const MOST_EXPLORED: usize = 20_000;

impl Joins {
    pub(super) fn of(tables: &[Arc<Table>]) -> Self {
        let by_oid: HashMap<u32, usize> = tables
            .iter()
            .enumerate()
            .map(|(i, table)| (table.oid, i))
            .collect();
        let mut steps: Vec<Vec<Step>> = vec![Vec::new(); tables.len()];
        for (from, table) in tables.iter().enumerate() {
            for key in &table.foreign_keys {
                let Some(&to) = by_oid.get(&key.target) else {
                    continue;
                };
                let readable = key
                    .columns
                    .iter()
                    .all(|column| table.column(column).is_some());
                let target = tables.get(to);
                let target_readable = key
                    .target_columns
                    .iter()
                    .all(|column| target.is_some_and(|table| table.column(column).is_some()));
                if from == to || !readable || !target_readable {
                    continue;
                }
                let pairs: Vec<(String, String)> = key
                    .columns
                    .iter()
                    .cloned()
                    .zip(key.target_columns.iter().cloned())
                    .collect();
                let back: Vec<(String, String)> =
                    pairs.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
                let is_unique = is_key(table, &key.columns);
                if let Some(list) = steps.get_mut(from) {
                    list.push(Step {
                        from,
                        to,
                        pairs,
                        is_to_one: true,
                    });
                }
                if let Some(list) = steps.get_mut(to) {
                    list.push(Step {
                        from: to,
                        to: from,
                        pairs: back,
                        is_to_one: is_unique,
                    });
                }
            }
        }
        Self { steps }
    }

    /// The cheapest path; none when two are as cheap. A path goes down to referring rows, then up to
    /// the rows they refer to, never up and down again: two rows that refer to the same third row
    /// have nothing to do with each other.
    pub(super) fn path(&self, from: usize, to: usize) -> Result<Vec<Step>, NoPath> {
        let mut best: Option<(u32, Vec<&Step>)> = None;
        let mut is_tied = false;
        let mut open: Vec<(u32, usize, bool, Vec<&Step>)> = vec![(0, from, false, Vec::new())];
        let mut explored = 0;
        while let Some((cost, here, climbs, path)) = open.pop() {
            explored += 1;
            if here == to && !path.is_empty() {
                match &best {
                    Some((known, _)) if *known < cost => {}
                    Some((known, _)) if *known == cost => is_tied = true,
                    _ => {
                        best = Some((cost, path));
                        is_tied = false;
                    }
                }
                continue;
            }
            for step in self.steps.get(here).into_iter().flatten() {
                let next = cost + if step.is_to_one { UP } else { DOWN };
                let turns_back = climbs && !step.is_to_one;
                let visited = step.to == from || path.iter().any(|known| known.from == step.to);
                let too_far =
                    next > FARTHEST || best.as_ref().is_some_and(|(known, _)| *known < next);
                if turns_back || visited || too_far || explored > MOST_EXPLORED {
                    continue;
                }
                let mut longer = path.clone();
                longer.push(step);
                open.push((next, step.to, climbs || step.is_to_one, longer));
            }
        }
        match best {
            _ if explored > MOST_EXPLORED => Err(NoPath::Several),
            Some(_) if is_tied => Err(NoPath::Several),
            Some((_, path)) => Ok(path.into_iter().cloned().collect()),
            None => Err(NoPath::Unconnected),
        }
    }

    /// Tables that a row of this one refers to directly.
    pub(super) fn parents(&self, table: usize) -> impl Iterator<Item = &Step> {
        self.steps
            .get(table)
            .into_iter()
            .flatten()
            .filter(|step| step.is_to_one)
    }
}

/// Whether the columns hold a primary key or a unique constraint.
pub(super) fn is_key(table: &Table, columns: &[String]) -> bool {
    let holds =
        |key: &[String]| !key.is_empty() && key.iter().all(|column| columns.contains(column));
    holds(&table.primary_key) || table.unique_keys.iter().any(|key| holds(key))
}
