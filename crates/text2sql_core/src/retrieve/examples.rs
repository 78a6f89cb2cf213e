//! Verified examples that a model may learn from: those whose question is near to the one asked, and
//! those whose SQL has the shape that such questions lead to.

/// A verified pair of question and SQL.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// Its id.
    pub id: u32,
    /// The question as it was asked.
    pub question: String,
    /// The SQL that answers it.
    pub sql: String,
}
