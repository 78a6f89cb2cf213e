//! How much of a file is read.

use crate::error::FileError;

/// The most columns that a table of PostgreSQL can have.
pub const MAX_COLUMNS: usize = 1_600;

/// What a caller takes who wants less than PostgreSQL could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most columns.
    pub columns: usize,
    /// The longest line of CSV, in bytes.
    pub line_bytes: usize,
}

/// The longest value that is read, in bytes. A quote that is never closed makes longer ones.
pub const MAX_VALUE: usize = if cfg!(test) { 1 << 20 } else { 64 << 20 };

/// The longest line of CSV that is read, in bytes. A row that is longer would not pass COPY, and reading it takes several
/// times its size of memory.
pub(crate) const MAX_LINE: usize = 4 * MAX_VALUE;

/// Why a line whose value is longer than [`MAX_VALUE`] is not read.
pub(crate) fn too_long(line: u64) -> FileError {
    FileError::new(format!(
        "line {line} has a value of more than {} MB",
        MAX_VALUE >> 20
    ))
}
