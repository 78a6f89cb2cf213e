//! What a statement becomes.

/// A statement whose names exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The statement.
    pub sql: String,
    /// What was changed and why it is so, a sentence each.
    pub changes: Vec<String>,
}
