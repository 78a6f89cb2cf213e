//! A table that is to be made.

/// A table as its source declares it.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) columns: Vec<Column>,
}

/// One of its columns.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// The declared type in the words of the source, perhaps empty.
    pub(crate) declared: String,
    pub(crate) is_not_null: bool,
}
