//! The columns of a table that others may reference: declared keys, and columns that look like one.

use std::collections::HashMap;

use super::facts::{ColumnFacts, Kind, TableFacts};
use super::names::{Name, Stands, is_short_for, spellings};

/// A key of one column.
pub(super) struct Key<'a> {
    pub(super) column: &'a ColumnFacts,
    pub(super) name: Name,
    /// How the key's own name stands for the table: `cust_id` of `customers`.
    pub(super) own: Option<Stands>,
    pub(super) is_declared: bool,
    pub(super) is_first: bool,
}

/// A table with its name taken apart.
pub(super) struct Target<'a> {
    pub(super) table: &'a TableFacts,
    pub(super) spellings: HashMap<String, Stands>,
    pub(super) keys: Vec<Key<'a>>,
}

impl<'a> Target<'a> {
    pub(super) fn of(table: &'a TableFacts, is_common: impl Fn(&str) -> bool) -> Self {
        let spellings = spellings(&Name::of(&table.name), is_common);
        let mut keys: Vec<Key<'a>> = Vec::new();
        let is_known = table.keys.iter().any(|key| key.len() == 1);
        for (place, column) in table.columns.iter().enumerate() {
            if column.kind == Kind::Other {
                continue;
            }
            let name = Name::of(&column.name);
            let is_declared = table.is_key(&[column.number]);
            // A column that identifies its rows may be glued: `stuid`.
            let is_expected = is_declared || table.keys.is_empty() && place == 0;
            let own = stands_for(&name.subject(), &spellings).or_else(|| match is_expected {
                true => stands_for(&name.glued_subject(), &spellings),
                false => None,
            });
            let word = match is_expected {
                true => name.glued_key_word(),
                false => name.key_word(),
            };
            let names_rows = name.is_generic() || (own.is_some() && word.is_some());
            let is_letter = name.glued_subject().len() == 1;
            let is_initial = table.keys.is_empty() && is_initial_key(&name, &spellings);
            let is_likely = match (table.keys.is_empty(), is_known) {
                // Nothing is declared: what identifies rows comes first, or is named so.
                (true, _) => {
                    let is_named = own.is_some() || word.is_some() && !is_letter;
                    names_rows || is_initial || place == 0 && is_named
                }
                // A second key beside the declared one: a code. Names repeat.
                (false, true) => names_rows && name.key_word() != Some("name"),
                // Rows are identified by several columns.
                (false, false) => false,
            };
            if is_declared || is_likely && !name.is_plural {
                keys.push(Key {
                    column,
                    own,
                    is_declared,
                    is_first: table
                        .keys
                        .first()
                        .map_or(place == 0, |key| *key == [column.number]),
                    name,
                });
            }
        }
        Self {
            table,
            spellings,
            keys,
        }
    }
}

impl Target<'_> {
    /// Whether a column of the table identifies its own rows, by its name: it references no other table.
    pub(super) fn is_own_key(&self, column: &ColumnFacts, name: &Name) -> bool {
        let stands = |subject: &str| self.spellings.get(subject).copied();
        let own = match self.table.is_key(&[column.number]) {
            true => stands(&name.glued_subject()),
            false if name.key_word().is_some() => stands(&name.subject()),
            false => None,
        };
        own.is_some_and(|stands| stands <= Stands::Core)
            || name.is_generic() && self.table.is_key(&[column.number])
    }
}

/// Whether the name is the first letter of the table's and a key word: `pid` of publications.
fn is_initial_key(name: &Name, spellings: &HashMap<String, Stands>) -> bool {
    let subject = name.glued_subject();
    let mut cores = spellings
        .iter()
        .filter(|(_, stands)| **stands <= Stands::Core);
    name.glued_key_word() == Some("id")
        && subject.len() == 1
        && cores.any(|(spelling, _)| spelling.starts_with(&subject))
}

/// How a word stands for a table of these spellings.
pub(super) fn stands_for(word: &str, spellings: &HashMap<String, Stands>) -> Option<Stands> {
    if let Some(stands) = spellings.get(word) {
        return Some(*stands);
    }
    let mut known = spellings.iter();
    known
        .any(|(spelling, stands)| *stands != Stands::Short && is_short_for(word, spelling))
        .then_some(Stands::Short)
}
