//! The names of a table as a question may say them, made once and kept with the table.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::linking::names::{column_keys, synonym_keys, table_keys, words_of};
use crate::linking::prefix_filter::{Beginning, Initials};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_language::words::{reduce, stem};

/// A key and its tier.
pub(crate) type Key = (String, u8);

/// How a table, its columns and its known values may be said.
#[derive(Debug)]
pub(crate) struct TableNames {
    /// The words of its name.
    pub(crate) words: Vec<String>,
    /// The keys of the table.
    pub(crate) keys: Vec<Key>,
    /// Of each column.
    columns: Vec<ColumnNames>,
    /// The keys of the columns' own names beside the neighbours that they were made for.
    own_keys: Mutex<Option<Arc<OwnKeys>>>,
}

#[derive(Debug)]
struct ColumnNames {
    initials: Initials,
    synonyms: Vec<Key>,
    values: Vec<SaidValue>,
}

/// The keys of the columns' own names, beside the words of the tables that their table refers to.
#[derive(Debug)]
pub(crate) struct OwnKeys {
    neighbours: Vec<String>,
    columns: Vec<Vec<Key>>,
}

/// A value, or what it means, as a question may say it.
#[derive(Debug)]
pub(crate) struct SaidValue {
    beginning: Beginning,
    form: OnceLock<ReducedValue>,
}

/// A value as spans of a question are reduced.
#[derive(Debug)]
pub(crate) struct ReducedValue {
    pub(crate) key: String,
    /// Of a value that is one word; else empty.
    pub(crate) singular: String,
}

impl TableNames {
    /// Those of the table.
    pub(crate) fn of(table: &Table) -> &Self {
        table.cache.get_or_make(|| Self {
            words: words_of(&table.name),
            keys: table_keys(table)
                .into_iter()
                .chain(synonym_keys(&table.synonyms))
                .collect(),
            columns: table.columns.iter().map(ColumnNames::of).collect(),
            own_keys: Mutex::default(),
        })
    }

    /// How the words of the column at that place begin.
    pub(crate) fn initials(&self, column: usize) -> Option<&Initials> {
        self.columns.get(column).map(|column| &column.initials)
    }

    /// The keys of the columns' own names.
    pub(crate) fn own_keys<'n>(
        &self,
        table: &Table,
        neighbours: impl Iterator<Item = &'n String> + Clone,
    ) -> Arc<OwnKeys> {
        let mut kept = self.own_keys.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(known) if known.neighbours.iter().eq(neighbours.clone()) => Arc::clone(known),
            _ => {
                let neighbours: Vec<String> = neighbours.cloned().collect();
                let columns = table.columns.iter();
                let made = Arc::new(OwnKeys {
                    columns: columns
                        .map(|column| column_keys(table, &self.words, &neighbours, column))
                        .collect(),
                    neighbours,
                });
                *kept = Some(Arc::clone(&made));
                made
            }
        }
    }

    /// The keys of other words for the column at that place.
    pub(crate) fn synonyms(&self, column: usize) -> &[Key] {
        self.columns
            .get(column)
            .map_or(&[], |column| column.synonyms.as_slice())
    }

    /// What a question may say for the values of the column at that place, if they begin as wanted: each
    /// with what is said and the value as it is stored.
    pub(crate) fn values<'t>(
        &'t self,
        position: usize,
        column: &'t Column,
        is_wanted: impl Fn(Beginning) -> bool,
    ) -> impl Iterator<Item = (&'t SaidValue, &'t str, &'t str)> {
        let values = self.columns.get(position).map(|column| &column.values);
        let values = values.into_iter().flatten().enumerate();
        values
            .filter(move |(_, value)| is_wanted(value.beginning))
            .filter_map(|(index, value)| {
                let (said, stored) = said_values(column).nth(index)?;
                Some((value, said, stored))
            })
    }
}

impl OwnKeys {
    /// Those of the column at that place.
    pub(crate) fn of(&self, column: usize) -> &[Key] {
        self.columns.get(column).map_or(&[], Vec::as_slice)
    }
}

impl ColumnNames {
    fn of(column: &Column) -> Self {
        let values = said_values(column).map(|(said, _)| SaidValue {
            beginning: Beginning::of(said),
            form: OnceLock::new(),
        });
        Self {
            initials: Initials::of(&column.name),
            synonyms: synonym_keys(&column.synonyms).collect(),
            values: values.collect(),
        }
    }
}

impl SaidValue {
    /// Its reduced form; `said` is what it was made from.
    pub(crate) fn reduced(&self, said: &str) -> &ReducedValue {
        self.form.get_or_init(|| {
            let key = reduce(said);
            let singular = match said.contains(' ') {
                true => String::new(),
                false => stem(&key),
            };
            ReducedValue { key, singular }
        })
    }
}

/// What is said for the known values of a column, each with the value as it is stored.
fn said_values(column: &Column) -> impl Iterator<Item = (&str, &str)> {
    let common = column
        .statistics
        .iter()
        .filter(|_| column.category == TypeCategory::Text)
        .flat_map(|statistics| &statistics.most_common_values);
    let own = column.enum_labels.iter().chain(common);
    let has_codes = matches!(column.category, TypeCategory::Text | TypeCategory::Enum);
    let meanings = column.value_meanings.iter().filter(move |_| has_codes);
    own.map(|value| (value.as_str(), value.as_str()))
        .chain(meanings.map(|(value, meaning)| (meaning.as_str(), value.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use text2sql_domain::schema_fixture::shop;

    #[test]
    fn names_are_made_once_and_those_of_columns_anew_beside_other_neighbours() {
        let tables = shop();
        let table = tables
            .iter()
            .find(|table| table.name == "orders")
            .expect("orders");
        let names = TableNames::of(table);
        assert!(std::ptr::eq(names, TableNames::of(table)));
        let alone = names.own_keys(table, [].iter());
        assert!(Arc::ptr_eq(&alone, &names.own_keys(table, [].iter())));
        let beside = names.own_keys(table, ["customer".to_owned()].iter());
        assert!(!Arc::ptr_eq(&alone, &beside));
        // A copy may be changed, so it remembers nothing.
        let mut copy = Table::clone(table);
        copy.name = "returns".to_owned();
        assert_eq!(TableNames::of(&copy).words, ["return"]);
    }
}
