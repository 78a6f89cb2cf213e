//! What was loaded.

use text2sql_sql::postgresql_form::known_columns::KnownColumns;

/// What was loaded.
#[derive(Debug, Default)]
pub(crate) struct Loaded {
    pub(crate) columns: KnownColumns,
    pub(crate) tables: usize,
    pub(crate) rows: u64,
    /// What is not as it was published, a line each.
    pub(crate) notes: Vec<String>,
}
