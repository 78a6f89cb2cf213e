//! What the inference reads: tables, columns and keys, and counts of values. No value itself.

/// A table that may reference others or be referenced.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableFacts {
    /// OID of the table.
    pub oid: u32,
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its columns, in catalog order.
    pub columns: Vec<ColumnFacts>,
    /// Numbers of the columns of each declared key (primary key first, then unique indexes).
    pub keys: Vec<Vec<i16>>,
    /// Joins that are declared, accepted or rejected.
    pub settled: Vec<Settled>,
}

/// A join from the table that needs no proposal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settled {
    /// The referencing columns.
    pub columns: Vec<i16>,
    /// The referenced table.
    pub target: u32,
    /// Whether a curator rejected it: the columns may reference another table.
    pub is_rejected: bool,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnFacts {
    /// Its number.
    pub number: i16,
    /// Its name.
    pub name: String,
    /// What it may be compared with.
    pub kind: Kind,
    /// Whether the planner's statistics say that no two rows have the same value.
    pub is_distinct: bool,
}

/// Kinds of values: only columns of the same kind are joined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Numbers: keys are declared as integer as often as numeric.
    Number,
    /// Texts.
    Text,
    /// UUIDs.
    Uuid,
    /// Everything else is no key.
    #[default]
    Other,
}

impl TableFacts {
    /// The column with this number.
    pub(super) fn column(&self, number: i16) -> Option<&ColumnFacts> {
        self.columns.iter().find(|column| column.number == number)
    }

    /// Whether exactly these columns are a declared key.
    pub(super) fn is_key(&self, columns: &[i16]) -> bool {
        self.keys
            .iter()
            .any(|key| key.len() == columns.len() && key.iter().all(|part| columns.contains(part)))
    }
}

/// The two sides of a possible join, by OID and column numbers.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    /// The referencing table.
    pub from: u32,
    /// Its columns.
    pub columns: Vec<i16>,
    /// The referenced table.
    pub to: u32,
    /// Its columns, in the same order.
    pub target_columns: Vec<i16>,
}

/// What reading the rows of both tables counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Overlap {
    /// Distinct values sampled from the referencing columns, without NULL.
    pub sampled: u32,
    /// How many of them were found in the referenced columns.
    pub found: u32,
    /// Rows of the referenced table that were read.
    pub target_rows: u32,
    /// Whether all of its rows were read: only then is a value that was not found missing.
    pub is_complete: bool,
    /// Whether two of the rows that were read have the same value.
    pub has_duplicates: bool,
    /// Whether the referencing table has rows, and none of those that were read has a value: nothing is referenced.
    pub lacks_values: bool,
}
