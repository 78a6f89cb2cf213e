//! Cuts the found tables to the size of the prompt: columns of low-ranked tables are omitted before whole
//! tables.
//!
//! Keys, columns that a join needs and columns that the question mentions are never omitted while their
//! table is shown: a query cannot be written without them. Columns with low priority are omitted first.

use std::collections::HashSet;
use std::sync::Arc;

use crate::found_table::FoundTable;
use text2sql_domain::ports::search_index::Joining;
use text2sql_domain::schema::Table;

/// A table as it is shown.
#[derive(Debug, Clone)]
pub struct ShownTable {
    /// The table with the columns that are left.
    pub table: Arc<Table>,
    /// Number of omitted columns.
    pub omitted_columns: usize,
}

impl From<&Arc<Table>> for ShownTable {
    /// The whole table.
    fn from(table: &Arc<Table>) -> Self {
        Self {
            table: Arc::clone(table),
            omitted_columns: 0,
        }
    }
}

/// Fits tables, best first, into `budget` characters by `size`. At least one table is shown.
pub fn fit(
    tables: Vec<ShownTable>,
    found: &[FoundTable],
    joins: &[Joining],
    size: &dyn Fn(&Arc<Table>) -> usize,
    budget: usize,
) -> Vec<ShownTable> {
    let mut shown: Vec<(ShownTable, usize)> = tables
        .into_iter()
        .map(|table| {
            let chars = size(&table.table);
            (table, chars)
        })
        .collect();
    let mut used: usize = shown.iter().map(|(_, chars)| chars).sum();
    for step in [Step::RarelyUseful, Step::Unmentioned] {
        for (entry, chars) in shown.iter_mut().rev() {
            if used <= budget {
                break;
            }
            let needed = needed_columns(&entry.table, found, joins);
            let Some(cut) = without(&entry.table, step, &needed) else {
                continue;
            };
            let omitted_columns = entry.table.columns.len() - cut.columns.len();
            let cut = Arc::new(cut);
            let smaller = size(&cut);
            used = used + smaller - *chars;
            *chars = smaller;
            entry.omitted_columns += omitted_columns;
            entry.table = cut;
        }
    }
    while used > budget && shown.len() > 1 {
        used -= shown.pop().map_or(0, |(_, chars)| chars);
    }
    shown.into_iter().map(|(entry, _)| entry).collect()
}

/// The columns that a step omits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Columns with low priority.
    RarelyUseful,
    /// All columns that are not needed.
    Unmentioned,
}

/// The table without the columns of the step; `None` when it has none of them.
fn without(table: &Table, step: Step, needed: &HashSet<&str>) -> Option<Table> {
    let goes = |column: &text2sql_domain::schema::Column| {
        !needed.contains(column.name.as_str())
            && (step == Step::Unmentioned || column.is_rarely_useful)
    };
    if !table.columns.iter().any(goes) {
        return None;
    }
    let mut cut = table.clone();
    cut.columns.retain(|column| !goes(column));
    // A name alone says too little: the first columns usually show what a table is.
    if cut.columns.is_empty() {
        cut.columns = table.columns.iter().take(3).cloned().collect();
    }
    (cut.columns.len() < table.columns.len()).then_some(cut)
}

fn needed_columns<'a>(
    table: &'a Table,
    found: &[FoundTable],
    joins: &'a [Joining],
) -> HashSet<&'a str> {
    let mut needed = join_columns(table, joins);
    let mentioned = found.iter().find(|entry| entry.table == table.oid);
    let is_mentioned = |number: i16| {
        mentioned.is_some_and(|entry| entry.columns.iter().any(|(known, _)| *known == number))
    };
    needed.extend(
        table
            .columns
            .iter()
            .filter(|column| is_mentioned(column.number))
            .map(|column| column.name.as_str()),
    );
    needed
}

/// The columns of keys and of joins.
pub(crate) fn join_columns<'a>(table: &'a Table, joins: &'a [Joining]) -> HashSet<&'a str> {
    let mut needed: HashSet<&str> = table.primary_key.iter().map(String::as_str).collect();
    let likely = table.likely_joins.iter().map(|join| &join.key);
    let keys = table.foreign_keys.iter().chain(likely);
    let keys = keys.flat_map(|key| &key.columns);
    needed.extend(keys.map(String::as_str));
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
    use text2sql_domain::schema::Column;

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
        let size = |table: &Arc<Table>| 10 + 10 * table.columns.len();
        let found = [mentioned(3, 4)];
        let tables = tables.iter().map(ShownTable::from).collect();
        let shown = fit(tables, &found, &[], &size, budget);
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
        assert_eq!(left(120), [[1, 3, 4], [1, 3, 4], [1, 3, 4]]);
        // The key and the column that the question mentions stay.
        assert_eq!(left(110), [vec![1, 3, 4], vec![1, 3, 4], vec![1, 4]]);
        assert_eq!(left(70), [vec![1], vec![1], vec![1, 4]]);
        assert_eq!(left(69), [[1], [1]]);
        assert_eq!(left(1), [[1]]);
    }
}
