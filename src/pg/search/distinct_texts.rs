//! The distinct values of a column of text, from stored rows.

use std::collections::HashSet;

use pgrx::pg_sys;
use text2sql_retrieval::values::{MAX_VALUE_CHARS, MAX_VALUES};

use crate::pg::access::stored_rows::{StoredRow, TextForm};
use crate::pg::server::compat::generated_columns::is_virtual;

/// The distinct values of a column, truncated one character beyond the maximum length that is kept.
pub(crate) struct Distinct {
    /// Number of the column.
    pub(crate) column: i16,
    form: TextForm,
    /// The values.
    pub(crate) values: HashSet<String>,
}

impl Distinct {
    /// None yet, of a column of that number; `None` where nothing of it is stored.
    pub(crate) fn of(column: i16, columns: &[pg_sys::FormData_pg_attribute]) -> Option<Self> {
        let index = usize::try_from(column - 1).ok()?;
        // A virtual generated column is not stored.
        let attribute = columns
            .get(index)
            .filter(|known| !known.attisdropped && !is_virtual(known))?;
        Some(Self {
            column,
            form: TextForm::of(attribute.atttypid),
            values: HashSet::new(),
        })
    }

    /// Adds the value at that place of a row, unless there are too many values.
    ///
    /// # Safety
    /// The column at that place is the one that this was made for.
    pub(crate) unsafe fn add(&mut self, row: &StoredRow<'_>, place: usize) {
        if self.is_over() {
            return;
        }
        // SAFETY: by contract: the form was made for the type of this column.
        let value = unsafe { row.text(place, &mut self.form, MAX_VALUE_CHARS + 1) };
        if let Some(value) = value
            && !self.values.contains(value.as_ref())
        {
            self.values.insert(value.into_owned());
        }
    }

    /// Whether there are more than the maximum.
    pub(crate) fn is_over(&self) -> bool {
        self.values.len() > MAX_VALUES
    }
}
