//! The columns that the names of a query are read against.

use std::collections::HashMap;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Whole numbers.
    Integer,
    /// Other numbers.
    Number,
    /// Texts.
    Text,
    /// Days.
    Date,
    /// Moments.
    Timestamp,
    /// True and false.
    Boolean,
    /// Anything else.
    Other,
}

/// The columns of a database, by table; all names in lower case.
#[derive(Debug, Clone, Default)]
pub struct KnownColumns {
    tables: HashMap<String, HashMap<String, ColumnKind>>,
}

impl KnownColumns {
    /// Adds a column.
    pub fn add(&mut self, table: &str, column: &str, kind: ColumnKind) {
        self.tables
            .entry(table.to_lowercase())
            .or_default()
            .insert(column.to_lowercase(), kind);
    }

    pub(super) fn table(&self, name: &str) -> Option<&HashMap<String, ColumnKind>> {
        self.tables.get(&name.to_lowercase())
    }
}
