//! Rows that are handed to one statement, a text array for each column.

use std::borrow::Cow;

use pgrx::datum::DatumWithOid;
use pgrx::{PgMemoryContexts, check_for_interrupts, pg_sys};
use text2sql_domain::error::Error;

use crate::pg::server::entry::text_datum;
use crate::pg::server::spi;

const MAX_ROWS: usize = 10_000;
const MAX_BYTES: usize = 8 << 20;

/// A row to be inserted.
pub(super) struct BatchOf<'r> {
    pub(super) line: u64,
    pub(super) values: &'r [Option<Cow<'r, str>>],
}

/// Rows that are handed to one statement.
pub(super) struct Batch {
    columns: Vec<Vec<Option<String>>>,
    rows: usize,
    bytes: usize,
}

impl Batch {
    pub(super) fn new(columns: usize) -> Self {
        Self {
            columns: vec![Vec::new(); columns],
            rows: 0,
            bytes: 0,
        }
    }

    pub(super) fn push(&mut self, values: &[Option<Cow<'_, str>>]) {
        self.rows += 1;
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes += value.as_ref().map_or(0, |value| value.len()) + 8;
            column.push(value.as_deref().map(str::to_owned));
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.bytes >= MAX_BYTES
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// The values of a column.
    pub(super) fn column(&self, place: usize) -> &[Option<String>] {
        self.columns
            .get(place)
            .map(Vec::as_slice)
            .unwrap_or_default()
    }

    /// Forgets the rows.
    pub(super) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        (self.rows, self.bytes) = (0, 0);
    }

    /// Runs a statement with the columns as its arguments, and forgets the rows.
    pub(super) fn run(&mut self, statement: &str) -> Result<(), Error> {
        check_for_interrupts!();
        if self.rows > 0 {
            run(statement, &self.columns)?;
        }
        self.clear();
        Ok(())
    }
}

/// Runs a statement of the loader under the caller's settings, with text arrays as its arguments. What it allocates
/// is freed when it has ended.
pub(super) fn run(statement: &str, columns: &[Vec<Option<String>>]) -> Result<(), Error> {
    let mut context = PgMemoryContexts::new("text2sql loaded rows");
    // SAFETY: nothing that is allocated in the context is used after it: the statement returns no rows.
    unsafe {
        context.switch_to(|_| {
            let arguments: Vec<DatumWithOid<'_>> =
                columns.iter().map(|column| array(column)).collect();
            spi::write_rows(statement, &arguments)
        })
    }
}

/// A text array in the server's encoding.
pub(super) fn array(values: &[Option<String>]) -> DatumWithOid<'static> {
    let mut nulls: Vec<bool> = Vec::with_capacity(values.len());
    let mut datums: Vec<pg_sys::Datum> = Vec::with_capacity(values.len());
    for value in values {
        let datum = value.as_deref().and_then(text_datum);
        nulls.push(datum.is_none());
        datums.push(datum.unwrap_or(pg_sys::Datum::from(0)));
    }
    let mut length = i32::try_from(values.len()).unwrap_or(i32::MAX);
    let mut lower = 1;
    let alignment = pg_sys::TYPALIGN_INT as std::ffi::c_char;
    // SAFETY: as many datums of type text, a varlena with integer alignment, and flags as `length` says, in one
    // dimension; the array is a copy in the current memory context.
    unsafe {
        let array = pg_sys::construct_md_array(
            datums.as_mut_ptr(),
            nulls.as_mut_ptr(),
            1,
            &raw mut length,
            &raw mut lower,
            pg_sys::TEXTOID,
            -1,
            false,
            alignment,
        );
        DatumWithOid::new(pg_sys::Datum::from(array), pg_sys::TEXTARRAYOID)
    }
}
