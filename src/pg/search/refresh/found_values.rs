//! The values of a column that are indexed.

use std::collections::HashSet;

use serde::Deserialize;
use text2sql_retrieval::values::{MAX_VALUE_CHARS, MAX_VALUES};

/// Maximum number of rows of a table that is read; for larger ones the planner's statistics are used.
pub(super) const MAX_ROWS: f64 = 1_000_000.0;

/// A column where more than this share of the values is longer than any name holds free text.
const MAX_LONG_SHARE: f64 = 0.1;

/// Labels of an enum, an array in this order: no need to read a table for them.
#[derive(Deserialize)]
pub(super) struct Labels {
    /// The first ones; `None` where the enum has none.
    labels: Option<Vec<String>>,
    are_all: bool,
}

impl Labels {
    /// As values of a column.
    pub(super) fn of_column(self, column: i16) -> Found {
        Found {
            column,
            values: self.labels.unwrap_or_default(),
            is_complete: self.are_all,
        }
    }
}

/// The values of one column.
pub(super) struct Found {
    pub(super) column: i16,
    pub(super) values: Vec<String>,
    pub(super) is_complete: bool,
}

/// The values of a column to index, of all that it has, truncated one character beyond the maximum length that is kept;
/// `None` when there are too many, or when they are free text.
pub(super) fn kept_values(column: i16, values: HashSet<String>) -> Option<Found> {
    if values.len() > MAX_VALUES {
        return None;
    }
    let all = values.len();
    let mut values: Vec<String> = values.into_iter().collect();
    values.retain(|value| value.chars().count() <= MAX_VALUE_CHARS && !value.trim().is_empty());
    values.sort_unstable();
    let long = all - values.len();
    ((long as f64) <= all as f64 * MAX_LONG_SHARE).then_some(Found {
        column,
        values,
        is_complete: long == 0,
    })
}
