//! Samples of the rows of a table, which prompts show at every egress.

/// Maximum number of samples of one column, and of rows of one table. A prompt shows all of them.
pub const MAX_COLUMN_SAMPLES: usize = 5;
/// See [`MAX_COLUMN_SAMPLES`].
pub const MAX_SAMPLE_ROWS: usize = 3;

/// Maximum length of a value, in characters, and maximum number of columns of a row.
pub const MAX_SAMPLE_CHARS: usize = 80;
/// See [`MAX_SAMPLE_CHARS`].
pub const MAX_SAMPLE_COLUMNS: usize = 20;

/// A sample that the owner of a table wrote, or that the server invented for the owner: one value of a column, or a
/// row with several.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// Whether the server invented it.
    pub is_invented: bool,
    /// Numbers of columns, with their values as text; `None` for NULL.
    pub values: Vec<(i16, Option<String>)>,
}
