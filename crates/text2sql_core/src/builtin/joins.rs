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
const FARTHEST: u32 = 60;

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

    /// The cheapest path; none when two are as cheap.
    pub(super) fn path(&self, from: usize, to: usize) -> Result<Vec<Step>, NoPath> {
        let count = self.steps.len();
        let mut cost = vec![u32::MAX; count];
        let mut ways = vec![0u32; count];
        let mut last: Vec<Option<Step>> = vec![None; count];
        let mut done = vec![false; count];
        if let (Some(cost), Some(ways)) = (cost.get_mut(from), ways.get_mut(from)) {
            *cost = 0;
            *ways = 1;
        }
        loop {
            let next = (0..count)
                .filter(|&i| !done.get(i).copied().unwrap_or(true))
                .filter_map(|i| {
                    cost.get(i)
                        .filter(|cost| **cost < u32::MAX)
                        .map(|cost| (*cost, i))
                })
                .min();
            let Some((here_cost, here)) = next else {
                return Err(NoPath::Unconnected);
            };
            if here_cost > FARTHEST {
                return Err(NoPath::Unconnected);
            }
            if here == to {
                break;
            }
            if let Some(done) = done.get_mut(here) {
                *done = true;
            }
            let here_ways = ways.get(here).copied().unwrap_or(0);
            for step in self.steps.get(here).into_iter().flatten() {
                let step_cost = here_cost + if step.is_to_one { UP } else { DOWN };
                let (Some(known), Some(known_ways), Some(before)) = (
                    cost.get_mut(step.to),
                    ways.get_mut(step.to),
                    last.get_mut(step.to),
                ) else {
                    continue;
                };
                if step_cost < *known {
                    *known = step_cost;
                    *known_ways = here_ways;
                    *before = Some(step.clone());
                } else if step_cost == *known {
                    *known_ways += here_ways;
                }
            }
        }
        if ways.get(to).copied().unwrap_or(0) > 1 {
            return Err(NoPath::Several);
        }
        let mut path = Vec::new();
        let mut here = to;
        while here != from {
            let Some(step) = last.get(here).cloned().flatten() else {
                return Err(NoPath::Unconnected);
            };
            here = step.from;
            path.push(step);
        }
        path.reverse();
        Ok(path)
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
