//! The cheapest path along foreign keys, when there is exactly one.

use crate::joins::step::{NoPath, Step};
use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::joins::named_path;
use text2sql_domain::schema::Table;

/// The foreign keys between the tables, both ways; looked up when first needed.
pub(crate) struct Joins<'a> {
    tables: &'a [Arc<Table>],
    steps: OnceCell<Vec<Vec<Step>>>,
    /// The way that the question names, where there are several.
    pub(crate) through: Option<Vec<String>>,
    /// Whether that way was taken.
    is_through: Cell<bool>,
}

/// A step down a hierarchy is worth less than a step up: rows multiply.
const UP: u32 = 10;
const DOWN: u32 = 13;
const FARTHEST: u32 = 50;
/// In a schema this dense a path would be a guess.
const MAX_EXPLORED: usize = 20_000;

impl<'a> Joins<'a> {
    pub(crate) fn of(tables: &'a [Arc<Table>]) -> Self {
        Self {
            tables,
            steps: OnceCell::new(),
            through: None,
            is_through: Cell::new(false),
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
        assume(tables, &mut steps);
        steps
    }

    /// The cheapest path; none when two are as cheap and the question names neither.
    pub(crate) fn path(&self, from: usize, to: usize) -> Result<Vec<Step>, NoPath> {
        let mut ways = self.ways(from, to).ok_or(NoPath::Several)?;
        if let Some(words) = self.through.as_ref().filter(|_| ways.len() > 1) {
            ways.retain(|way| named_path::is_named(way, words, self.tables));
            self.is_through.set(ways.len() == 1);
        }
        match ways.as_slice() {
            [] => Err(NoPath::Unconnected),
            [way] => Ok(way.iter().map(|step| (*step).clone()).collect()),
            _ => Err(NoPath::Several),
        }
    }

    /// Whether a way that the question names was no choice here.
    pub(crate) fn ignores_way(&self) -> bool {
        self.through.is_some() && !self.is_through.get()
    }

    /// The cheapest paths, all of one cost; `None` where there are too many to tell. A path goes down to referring rows, then up to
    /// the rows they refer to, never up and down again: two rows that refer to the same third row
    /// have nothing to do with each other.
    pub(crate) fn ways(&self, from: usize, to: usize) -> Option<Vec<Vec<&Step>>> {
        let mut best: Option<(u32, Vec<Vec<&Step>>)> = None;
        let mut open: Vec<(u32, usize, bool, Vec<&Step>)> = vec![(0, from, false, Vec::new())];
        let mut explored = 0;
        while let Some((cost, here, climbs, path)) = open.pop() {
            explored += 1;
            if here == to && !path.is_empty() {
                match &mut best {
                    Some((known, _)) if *known < cost => {}
                    Some((known, ways)) if *known == cost => ways.push(path),
                    _ => best = Some((cost, vec![path])),
                }
                continue;
            }
            for step in self.steps().get(here).into_iter().flatten() {
                let next = cost + if step.is_to_one { UP } else { DOWN };
                let turns_back = climbs && !step.is_to_one;
                let visited = step.to == from || path.iter().any(|known| known.from == step.to);
                let too_far =
                    next > FARTHEST || best.as_ref().is_some_and(|(known, _)| *known < next);
                if turns_back || visited || too_far || explored > MAX_EXPLORED {
                    continue;
                }
                let mut longer = path.clone();
                longer.push(step);
                open.push((next, step.to, climbs || step.is_to_one, longer));
            }
        }
        (explored <= MAX_EXPLORED).then(|| best.map_or_else(Vec::new, |(_, ways)| ways))
    }

    /// Tables that a row of this one refers to directly.
    pub(crate) fn parents(&self, table: usize) -> impl Iterator<Item = &Step> {
        self.steps()
            .get(table)
            .into_iter()
            .flatten()
            .filter(|step| step.is_to_one)
    }
}

/// Columns that are called like the only key column of one other table refer to it, where no foreign
/// key says what they refer to.
fn assume(tables: &[Arc<Table>], steps: &mut [Vec<Step>]) {
    let mut keys: HashMap<&str, Option<usize>> = HashMap::new();
    for (index, table) in tables.iter().enumerate() {
        if let [key] = table.primary_key.as_slice()
            && is_telling(key, &table.name)
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

/// A key whose name says of what it is: `course_id` of `course`, not `id`.
fn is_telling(key: &str, table: &str) -> bool {
    let words = crate::linking::names::words_of(key);
    let table = crate::linking::names::words_of(table);
    words.len() > 1 && words.first().is_some_and(|first| table.contains(first))
}

/// Whether the columns hold a primary key or a unique constraint.
pub(crate) fn is_key(table: &Table, columns: &[String]) -> bool {
    let holds =
        |key: &[String]| !key.is_empty() && key.iter().all(|column| columns.contains(column));
    holds(&table.primary_key) || table.unique_keys.iter().any(|key| holds(key))
}
