//! The same query, written otherwise, with the proof that its rows are the same.

/// A query that gives the same rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The rule's name.
    pub rule: &'static str,
    /// What is written otherwise, as a sentence.
    pub what: String,
    /// Why it gives the same rows: follows "because".
    pub because: String,
    /// The whole query.
    pub sql: String,
    /// What to know before using it.
    pub caveat: Option<String>,
}
