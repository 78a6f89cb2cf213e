//! The words of the names and synonyms of the tables, and what each of them names.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use text2sql_domain::schema::{Table, quote_identifier};
use text2sql_language::words::stem;

use crate::linking::readable_names::readable;

/// A table, or a column of it, by index.
pub(crate) type Object = (usize, Option<usize>);

/// A word of names.
#[derive(Debug, Default)]
pub(crate) struct Word {
    /// As the first name has it, in lower case.
    pub(crate) text: String,
    pub(crate) names: HashSet<Object>,
    /// What has this word as its whole name.
    pub(crate) alone: HashSet<Object>,
}

impl Word {
    /// Whether a table has it in its name.
    pub(crate) fn is_of_table(&self) -> bool {
        self.names.iter().any(|(_, column)| column.is_none())
    }
}

/// The words by their stems, in the order of the alphabet, so that answers are reproducible.
pub(crate) struct Vocabulary<'t> {
    tables: &'t [Arc<Table>],
    words: BTreeMap<String, Word>,
}

impl<'t> Vocabulary<'t> {
    pub(crate) fn of(tables: &'t [Arc<Table>]) -> Self {
        let mut words: BTreeMap<String, Word> = BTreeMap::new();
        let mut add = |name: &str, synonyms: &[String], object| {
            for name in std::iter::once(name).chain(synonyms.iter().map(String::as_str)) {
                let readable = readable(name);
                let is_alone = !readable.contains(' ');
                for text in readable.split(' ').filter(|text| !text.is_empty()) {
                    let word = words.entry(stem(text)).or_default();
                    if word.text.is_empty() {
                        text.clone_into(&mut word.text);
                    }
                    word.names.insert(object);
                    if is_alone {
                        word.alone.insert(object);
                    }
                }
            }
        };
        for (at, table) in tables.iter().enumerate() {
            add(&table.name, &table.synonyms, (at, None));
            for (column_at, column) in table.columns.iter().enumerate() {
                add(&column.name, &column.synonyms, (at, Some(column_at)));
            }
        }
        Self { tables, words }
    }

    /// The word with this stem.
    pub(crate) fn get(&self, stem: &str) -> Option<&Word> {
        self.words.get(stem)
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &Word> {
        self.words.values()
    }

    /// What the word names, as in a note, if that is one table, or one column.
    pub(crate) fn named(&self, word: &Word) -> Option<String> {
        let tables = word.alone.iter().filter(|(_, column)| column.is_none());
        let mut named: Vec<&Object> = tables.collect();
        if named.is_empty() {
            named = word.alone.iter().collect();
        }
        let [(table, column)] = named.as_slice() else {
            return None;
        };
        let table = self.tables.get(*table)?;
        match column {
            None => Some(format!("table {}", table.sql_name())),
            Some(column) => {
                let column = quote_identifier(&table.columns.get(*column)?.name);
                Some(format!("{}.{column}", table.sql_name()))
            }
        }
    }
}
