//! How much of a file is read.

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
