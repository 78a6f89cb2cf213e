//! The names and values of a table as a question may write them, computed once and cached with the table.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::linking::names::{column_keys, synonym_keys, table_keys, words_of};
use crate::linking::prefix_filter::{Initials, ValuePrefix};
use text2sql_domain::schema::{Column, Table, TypeCategory};
use text2sql_language::words::{reduce, stem};

/// A key and its tier.
pub(crate) type Key = (String, u8);

/// The keys of a table, its columns and its known values.
#[derive(Debug)]
pub(crate) struct TableNames {
    /// The words of the table's name.
    pub(crate) words: Vec<String>,
    /// The keys of the table.
    pub(crate) keys: Vec<Key>,
    /// The names of each column.
    columns: Vec<ColumnNames>,
    /// The keys of the column names, and the neighbouring words they were computed with.
    own_keys: Mutex<Option<Arc<OwnKeys>>>,
}

#[derive(Debug)]
struct ColumnNames {
    initials: Initials,
    synonyms: Vec<Key>,
    values: Vec<ValueForm>,
}

/// The keys of the column names, each computed on first use: a question names few columns of the tables that are
/// looked at. They depend on the words of the referenced tables.
#[derive(Debug)]
pub(crate) struct OwnKeys {
    neighbours: Vec<String>,
    columns: Vec<OnceLock<Vec<Key>>>,
}

/// A surface form of a value: the value itself or the meaning of a code.
#[derive(Debug)]
pub(crate) struct ValueForm {
    beginning: ValuePrefix,
    form: OnceLock<ReducedValue>,
}

/// A value normalised like the spans of a question.
#[derive(Debug)]
pub(crate) struct ReducedValue {
    pub(crate) key: String,
    /// The stem of a value of one word, else empty.
    pub(crate) singular: String,
}

impl TableNames {
    /// The cached names of a table.
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

    /// The initials of a column's name.
    pub(crate) fn initials(&self, column: usize) -> Option<&Initials> {
        self.columns.get(column).map(|column| &column.initials)
    }

    /// The keys of the column names beside those neighbours.
    pub(crate) fn own_keys<'n>(
        &self,
        table: &Table,
        neighbours: impl Iterator<Item = &'n String> + Clone,
    ) -> Arc<OwnKeys> {
        let mut kept = self.own_keys.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(known) if known.neighbours.iter().eq(neighbours.clone()) => Arc::clone(known),
            _ => {
                let made = Arc::new(OwnKeys {
                    neighbours: neighbours.cloned().collect(),
                    columns: table.columns.iter().map(|_| OnceLock::new()).collect(),
                });
                *kept = Some(Arc::clone(&made));
                made
            }
        }
    }

    /// The keys of a column's synonyms.
    pub(crate) fn synonyms(&self, column: usize) -> &[Key] {
        self.columns
            .get(column)
            .map_or(&[], |column| column.synonyms.as_slice())
    }

    /// The surface forms of a column's values that pass the filter, each with its text and the stored
    /// value.
    pub(crate) fn values<'t>(
        &'t self,
        position: usize,
        column: &'t Column,
        is_wanted: impl Fn(ValuePrefix) -> bool,
    ) -> impl Iterator<Item = (&'t ValueForm, &'t str, &'t str)> {
        let values = self.columns.get(position).map(|column| &column.values);
        let values = values.into_iter().flatten().enumerate();
        values
            .filter(move |(_, value)| is_wanted(value.beginning))
            .filter_map(|(index, value)| {
                let (form, stored) = surface_forms(column).nth(index)?;
                Some((value, form, stored))
            })
    }
}

impl OwnKeys {
    /// The keys of the name of a column of the table, which has these words.
    pub(crate) fn of(&self, table: &Table, words: &[String], column: usize) -> &[Key] {
        let (Some(keys), Some(column)) = (self.columns.get(column), table.columns.get(column))
        else {
            return &[];
        };
        keys.get_or_init(|| column_keys(table, words, &self.neighbours, column))
    }
}

impl ColumnNames {
    fn of(column: &Column) -> Self {
        let values = surface_forms(column).map(|(form, _)| ValueForm {
            beginning: ValuePrefix::of(form),
            form: OnceLock::new(),
        });
        Self {
            initials: Initials::of(&column.name),
            synonyms: synonym_keys(&column.synonyms).collect(),
            values: values.collect(),
        }
    }
}

impl ValueForm {
    /// The normalised form of `form`, computed on first use.
    pub(crate) fn reduced(&self, form: &str) -> &ReducedValue {
        self.form.get_or_init(|| {
            let key = reduce(form);
            let singular = match form.contains(' ') {
                true => String::new(),
                false => stem(&key),
            };
            ReducedValue { key, singular }
        })
    }
}

/// The surface forms of a column's known values, each with the stored value.
fn surface_forms(column: &Column) -> impl Iterator<Item = (&str, &str)> {
    let common = column
        .statistics
        .iter()
        .filter(|_| column.category == TypeCategory::Text)
        .flat_map(|statistics| &statistics.most_common_values);
    let own = column.enum_labels.iter().chain(common);
    let own = own.chain(&column.mentioned_values);
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
        // A copy may be modified, so it starts with an empty cache.
        let mut copy = Table::clone(table);
        copy.name = "returns".to_owned();
        assert_eq!(TableNames::of(&copy).words, ["return"]);
    }
}
