//! Cuts the found tables to the size of the prompt: columns of low-ranked tables are omitted before whole
//! tables.
//!
//! A table that is shown can be used: keys and what looks like one, columns that a join needs, dates, names, amounts and
//! columns that the question mentions are never omitted while their table is shown. Columns with low priority are
//! omitted first, and while there is room, the names of those that are omitted are listed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::found_table::FoundTable;
use text2sql_domain::ports::search_index::{Joining, ValueHit};
use text2sql_domain::schema::{Column, Table, TypeCategory};

/// A table as it is shown.
#[derive(Debug, Clone)]
pub struct ShownTable {
    /// The table with the columns that are left.
    pub table: Arc<Table>,
    /// The names of the omitted columns.
    pub omitted: Vec<String>,
    /// Whether there is no room for these names.
    pub only_counts_omitted: bool,
    /// Whether it is described on a line: the names of its columns, and its keys.
    pub is_brief: bool,
}

impl ShownTable {
    /// The same without the columns that are not in `left`.
    pub(crate) fn cut_to(&self, left: Table) -> Self {
        let kept: HashSet<i16> = left.columns.iter().map(|column| column.number).collect();
        let columns = self.table.columns.iter();
        let gone = columns.filter(|column| !kept.contains(&column.number));
        let gone = gone.map(|column| column.name.clone());
        Self {
            omitted: self.omitted.iter().cloned().chain(gone).collect(),
            table: Arc::new(left),
            only_counts_omitted: self.only_counts_omitted,
            is_brief: self.is_brief,
        }
    }

    /// Whether nothing of the table is left out.
    pub fn is_whole(&self) -> bool {
        self.omitted.is_empty() && !self.is_brief
    }
}

impl From<&Arc<Table>> for ShownTable {
    /// The whole table.
    fn from(table: &Arc<Table>) -> Self {
        Self {
            table: Arc::clone(table),
            omitted: Vec::new(),
            only_counts_omitted: false,
            is_brief: false,
        }
    }
}

/// Tables, best first, that are cut until they fit.
pub struct Budget<'a> {
    entries: Vec<Entry<'a>>,
    used: usize,
    size: &'a dyn Fn(&ShownTable) -> usize,
}

struct Entry<'a> {
    shown: ShownTable,
    chars: usize,
    /// The numbers of the columns that the question mentions.
    mentioned: &'a [(i16, f64)],
    /// Of those that hold a value of the question.
    valued: Vec<i16>,
    /// The columns of joins from or to the table.
    joined: Vec<&'a [String]>,
}

impl<'a> Budget<'a> {
    /// All of the tables; `size` gives the number of characters of one.
    pub fn new(
        tables: Vec<ShownTable>,
        found: &'a [FoundTable],
        joins: &'a [Joining],
        values: &[(String, ValueHit)],
        size: &'a dyn Fn(&ShownTable) -> usize,
    ) -> Self {
        let mentioned: HashMap<u32, &[(i16, f64)]> = found
            .iter()
            .map(|found| (found.table, found.columns.as_slice()))
            .collect();
        let mut joined: HashMap<u32, Vec<&[String]>> = HashMap::new();
        for join in joins {
            joined
                .entry(join.from)
                .or_default()
                .push(&join.from_columns);
            joined.entry(join.to).or_default().push(&join.to_columns);
        }
        let entry = |shown: ShownTable| Entry {
            chars: size(&shown),
            mentioned: mentioned.get(&shown.table.oid).copied().unwrap_or_default(),
            joined: joined.remove(&shown.table.oid).unwrap_or_default(),
            valued: values
                .iter()
                .filter(|(_, hit)| hit.table == shown.table.oid)
                .map(|(_, hit)| hit.column)
                .collect(),
            shown,
        };
        let entries: Vec<Entry<'a>> = tables.into_iter().map(entry).collect();
        Self {
            used: entries.iter().map(|entry| entry.chars).sum(),
            entries,
            size,
        }
    }

    /// Cuts the tables to this many characters. At least one table is left.
    pub fn cut(&mut self, chars: usize) {
        for step in [Step::RarelyUseful, Step::Unmentioned, Step::Names] {
            for entry in self.entries.iter_mut().rev() {
                if self.used <= chars {
                    return;
                }
                let Some(shown) = entry.after(step) else {
                    continue;
                };
                let smaller = (self.size)(&shown);
                self.used = self.used + smaller - entry.chars;
                entry.chars = smaller;
                entry.shown = shown;
            }
        }
        while self.used > chars && self.entries.len() > 1 {
            self.used -= self.entries.pop().map_or(0, |entry| entry.chars);
        }
    }

    /// How many tables are left.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The tables that are left, with the columns that are left.
    pub fn into_shown(self) -> Vec<ShownTable> {
        self.entries.into_iter().map(|entry| entry.shown).collect()
    }
}

/// What a step omits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Columns with low priority.
    RarelyUseful,
    /// All columns that are not needed.
    Unmentioned,
    /// The names of omitted columns.
    Names,
}

impl Entry<'_> {
    /// What is shown after the step; `None` where that is the same.
    fn after(&self, step: Step) -> Option<ShownTable> {
        if step == Step::Names {
            let has_names = !self.shown.omitted.is_empty() && !self.shown.only_counts_omitted;
            return has_names.then(|| ShownTable {
                only_counts_omitted: true,
                ..self.shown.clone()
            });
        }
        // On a line, the names of all columns take little.
        if self.shown.is_brief && step == Step::RarelyUseful {
            return None;
        }
        let table = &self.shown.table;
        let may_go = |column: &Column| step == Step::Unmentioned || column.is_rarely_useful;
        if !table.columns.iter().any(may_go) {
            return None;
        }
        let mut needed = key_columns(table);
        needed.extend(self.joined.iter().copied().flatten().map(String::as_str));
        let is_mentioned = |column: &Column| {
            let mut mentioned = self.mentioned.iter();
            self.valued.contains(&column.number)
                || mentioned.any(|(known, _)| *known == column.number)
        };
        let goes = |column: &Column| {
            may_go(column)
                && !needed.contains(column.name.as_str())
                && !is_mentioned(column)
                && (column.is_rarely_useful || !is_often_needed(column))
        };
        let mut left: Vec<&Column> = table.columns.iter().filter(|one| !goes(one)).collect();
        // A name alone says too little: the first columns usually show what a table is.
        if left.is_empty() {
            left = table.columns.iter().take(3).collect();
        }
        (left.len() < table.columns.len()).then(|| {
            let cut = self.shown.cut_to(table.with_columns(left));
            ShownTable {
                only_counts_omitted: cut.only_counts_omitted || cut.is_brief,
                ..cut
            }
        })
    }
}

/// Whether queries need the column that do not name it: it looks like a key, tells when or how much, or is a name.
fn is_often_needed(column: &Column) -> bool {
    match column.category {
        TypeCategory::Date | TypeCategory::Timestamp | TypeCategory::Number => true,
        TypeCategory::Uuid => true,
        TypeCategory::Integer | TypeCategory::Text => {
            let name = column.name.to_lowercase();
            let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
            match column.category {
                // Glued names as well: `sbtxcustid`.
                TypeCategory::Integer => ends(&["id", "_key", "_no", "_nr", "_fk", "_sk"]),
                _ => ends(&["id", "_key", "_code", "_fk", "name", "title"]),
            }
        }
        _ => false,
    }
}

/// The columns of the table's keys, the likely ones as well.
fn key_columns(table: &Table) -> HashSet<&str> {
    let likely = table.likely_joins.iter().map(|join| &join.key);
    let keys = table.foreign_keys.iter().chain(likely);
    let keys = keys.flat_map(|key| &key.columns);
    keys.chain(&table.primary_key).map(String::as_str).collect()
}

/// The columns of keys and of joins.
pub(crate) fn join_columns<'a>(table: &'a Table, joins: &'a [Joining]) -> HashSet<&'a str> {
    let mut needed = key_columns(table);
    for join in joins {
        if join.from == table.oid {
            needed.extend(join.from_columns.iter().map(String::as_str));
        }
        if join.to == table.oid {
            needed.extend(join.to_columns.iter().map(String::as_str));
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(oid: u32, columns: usize) -> Arc<Table> {
        Arc::new(Table {
            oid,
            primary_key: vec!["c1".into()],
            columns: (1..=columns)
                .map(|number| Column {
                    number: i16::try_from(number).unwrap(),
                    name: format!("c{number}"),
                    is_rarely_useful: number == 2,
                    ..Column::default()
                })
                .collect(),
            ..Table::default()
        })
    }

    fn mentioned(table: u32, column: i16) -> FoundTable {
        FoundTable {
            table,
            score: 1.0,
            ranks: Vec::new(),
            reasons: Vec::new(),
            columns: vec![(column, 1.0)],
        }
    }

    /// Columns left of each table; every column is ten characters, every table ten more.
    fn left(budget: usize) -> Vec<Vec<i16>> {
        let tables = [table(1, 4), table(2, 4), table(3, 4)];
        let size = |shown: &ShownTable| {
            let names = if shown.only_counts_omitted {
                0
            } else {
                shown.omitted.len()
            };
            10 + 10 * shown.table.columns.len() + names
        };
        let found = [mentioned(3, 4)];
        let tables = tables.iter().map(ShownTable::from).collect();
        let mut tables = Budget::new(tables, &found, &[], &[], &size);
        tables.cut(budget);
        let shown = tables.into_shown();
        let numbers = |entry: &ShownTable| {
            let columns = entry.table.columns.iter();
            columns.map(|column| column.number).collect()
        };
        shown.iter().map(numbers).collect()
    }

    #[test]
    fn columns_of_weak_tables_go_before_tables() {
        assert_eq!(left(150), [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]);
        assert_eq!(left(139), [vec![1, 2, 3, 4], vec![1, 3, 4], vec![1, 3, 4]]);
        assert_eq!(left(123), [[1, 3, 4], [1, 3, 4], [1, 3, 4]]);
        // The key and the column that the question mentions stay.
        assert_eq!(left(114), [vec![1, 3, 4], vec![1, 3, 4], vec![1, 4]]);
        // Then not even the names of the omitted columns are listed.
        assert_eq!(left(70), [vec![1], vec![1], vec![1, 4]]);
        assert_eq!(left(69), [[1], [1]]);
        assert_eq!(left(1), [[1]]);
    }

    #[test]
    fn what_queries_often_need_stays_and_the_rest_is_named() {
        let columns = [
            ("sbtxid", TypeCategory::Text),
            ("sbtxcustid", TypeCategory::Text),
            ("sbtxdatetime", TypeCategory::Timestamp),
            ("sbtxtype", TypeCategory::Text),
            ("sbtxshares", TypeCategory::Number),
            ("note", TypeCategory::Text),
            ("settled", TypeCategory::Boolean),
            ("lot", TypeCategory::Integer),
        ];
        let table = Arc::new(Table {
            columns: columns
                .iter()
                .zip(1..)
                .map(|((name, category), number)| Column {
                    number,
                    name: (*name).into(),
                    category: *category,
                    ..Column::default()
                })
                .collect(),
            ..Table::default()
        });
        let size = |shown: &ShownTable| 10 * shown.table.columns.len();
        let mut budget = Budget::new(vec![ShownTable::from(&table)], &[], &[], &[], &size);
        budget.cut(79);
        let shown = budget.into_shown().remove(0);
        let names = shown
            .table
            .columns
            .iter()
            .map(|column| column.name.as_str());
        let names: Vec<&str> = names.collect();
        assert_eq!(
            names,
            ["sbtxid", "sbtxcustid", "sbtxdatetime", "sbtxshares"]
        );
        assert_eq!(shown.omitted, ["sbtxtype", "note", "settled", "lot"]);
        assert!(!shown.only_counts_omitted);
    }
}
