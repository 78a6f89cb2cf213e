//! Why a meaning has no statement.

use std::fmt;

/// Why a meaning has no statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such table.
    UnknownTable(String),
    /// The table has no such column.
    UnknownColumn(String, String),
    /// A step from one table to the other may reach several rows.
    RepeatsRows(String, String),
    /// A sum or an average of a column that holds no numbers.
    NoNumber(String),
    /// Parts that do not go together.
    Unsupported(&'static str),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownTable(table) => write!(formatter, "there is no table {table}"),
            Self::UnknownColumn(table, column) => {
                write!(formatter, "{table} has no column {column}")
            }
            Self::RepeatsRows(from, to) => {
                write!(formatter, "a row of {from} may have several rows of {to}")
            }
            Self::NoNumber(column) => write!(formatter, "{column} holds no numbers"),
            Self::Unsupported(what) => formatter.write_str(what),
        }
    }
}
