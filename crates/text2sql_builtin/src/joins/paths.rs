//! The cheapest path along foreign keys, when there is exactly one.

use crate::joins::step::{NoPath, Step};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::linking::names::words_of;
use text2sql_domain::schema::Table;

/// The foreign keys between the tables in both directions, computed on first use.
pub(crate) struct Joins<'a> {
    tables: &'a [Arc<Table>],
    steps: OnceCell<Vec<Vec<Step>>>,
}

/// A step to referencing rows costs more than a step to referenced rows, because it multiplies rows.
const TO_ONE_COST: u32 = 10;
const TO_MANY_COST: u32 = 13;
const MAX_COST: u32 = 50;
/// Maximum number of partial paths: in a denser schema a path would be a guess.
const MAX_EXPLORED: usize = 20_000;

impl<'a> Joins<'a> {
    pub(crate) fn of(tables: &'a [Arc<Table>]) -> Self {
        Self {
            tables,
            steps: OnceCell::new(),
        }
    }

    fn steps(&self) -> &[Vec<Step>] {
        self.steps.get_or_init(|| Self::between(self.tables))
    }

    fn between(tables: &[Arc<Table>]) -> Vec<Vec<Step>> {
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
                        is_assumed: false,
                    });
                }
                if let Some(list) = steps.get_mut(to) {
                    list.push(Step {
                        from: to,
                        to: from,
                        pairs: back,
                        is_to_one: is_unique,
                        is_assumed: false,
                    });
                }
            }
        }
        assume_references(tables, &mut steps);
        steps
    }

    /// The cheapest path; an error if several have the same cost.
    pub(crate) fn path(&self, from: usize, to: usize) -> Result<Vec<Step>, NoPath> {
        let paths = self.cheapest_paths(from, to).ok_or(NoPath::Several)?;
        match paths.as_slice() {
            [] => Err(NoPath::Unconnected),
            [path] => Ok(path.iter().map(|step| (*step).clone()).collect()),
            _ => Err(NoPath::Several),
        }
    }

    /// The cheapest paths, all of one cost; `None` if there are too many to explore. A path goes down to
    /// referencing rows, then up to referenced rows, never up and down again: two rows that reference the
    /// same third row are not related.
    fn cheapest_paths(&self, from: usize, to: usize) -> Option<Vec<Vec<&Step>>> {
        let mut best: Option<(u32, Vec<Vec<&Step>>)> = None;
        let mut open: Vec<(u32, usize, bool, Vec<&Step>)> = vec![(0, from, false, Vec::new())];
        let mut explored = 0;
        while let Some((cost, here, climbs, path)) = open.pop() {
            explored += 1;
            if here == to && !path.is_empty() {
                match &mut best {
                    Some((known, _)) if *known < cost => {}
                    Some((known, paths)) if *known == cost => paths.push(path),
                    _ => best = Some((cost, vec![path])),
                }
                continue;
            }
            for step in self.steps().get(here).into_iter().flatten() {
                let next = cost
                    + if step.is_to_one {
                        TO_ONE_COST
                    } else {
                        TO_MANY_COST
                    };
                let turns_back = climbs && !step.is_to_one;
                let visited = step.to == from || path.iter().any(|known| known.from == step.to);
                let too_far =
                    next > MAX_COST || best.as_ref().is_some_and(|(known, _)| *known < next);
                if turns_back || visited || too_far || explored > MAX_EXPLORED {
                    continue;
                }
                let mut longer = path.clone();
                longer.push(step);
                open.push((next, step.to, climbs || step.is_to_one, longer));
            }
        }
        (explored <= MAX_EXPLORED).then(|| best.map_or_else(Vec::new, |(_, paths)| paths))
    }

    /// The tables that this one references directly.
    pub(crate) fn parents(&self, table: usize) -> impl Iterator<Item = &Step> {
        self.steps()
            .get(table)
            .into_iter()
            .flatten()
            .filter(|step| step.is_to_one)
    }
}

/// Assumes a reference from a column that has the name of another table's only key column, if no foreign
/// key says otherwise.
fn assume_references(tables: &[Arc<Table>], steps: &mut [Vec<Step>]) {
    let mut keys: HashMap<&str, Option<usize>> = HashMap::new();
    for (index, table) in tables.iter().enumerate() {
        if let [key] = table.primary_key.as_slice()
            && names_its_table(key, &table.name)
        {
            keys.entry(key.as_str())
                .and_modify(|known| *known = None)
                .or_insert(Some(index));
        }
    }
    if keys.is_empty() {
        return;
    }
    for (from, table) in tables.iter().enumerate() {
        for column in &table.columns {
            let Some(Some(to)) = keys.get(column.name.as_str()).copied() else {
                continue;
            };
            let refers = table.foreign_keys.iter().any(|key| {
                key.columns.contains(&column.name)
                    && (key.columns.len() == 1
                        || tables.iter().any(|table| table.oid == key.target))
            });
            let same_type = tables
                .get(to)
                .and_then(|target| target.column(&column.name))
                .is_some_and(|target| target.category == column.category);
            let is_own_key = table.primary_key == [column.name.clone()];
            if from == to || refers || !same_type || is_own_key {
                continue;
            }
            let pairs = vec![(column.name.clone(), column.name.clone())];
            let is_unique = is_key(table, std::slice::from_ref(&column.name));
            for (one, other, is_to_one) in [(from, to, true), (to, from, is_unique)] {
                if let Some(list) = steps.get_mut(one) {
                    list.push(Step {
                        from: one,
                        to: other,
                        pairs: pairs.clone(),
                        is_to_one,
                        is_assumed: true,
                    });
                }
            }
        }
    }
}

/// Whether the name of a key says what it identifies: `course_id` of `course`, not `id`.
fn names_its_table(key: &str, table: &str) -> bool {
    let words = words_of(key);
    let table = words_of(table);
    words.len() > 1 && words.first().is_some_and(|first| table.contains(first))
}

/// Whether the columns hold a primary key or a unique constraint.
fn is_key(table: &Table, columns: &[String]) -> bool {
    let holds =
        |key: &[String]| !key.is_empty() && key.iter().all(|column| columns.contains(column));
    holds(&table.primary_key) || table.unique_keys.iter().any(|key| holds(key))
}
