//! An equivalent query, with the proof that its rows are the same.

/// An equivalent query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The rule's name.
    pub rule: &'static str,
    /// The change, as a sentence.
    pub what: String,
    /// The proof, as a clause after "because".
    pub because: String,
    /// The complete query.
    pub sql: String,
    /// What to consider before using it.
    pub caveat: Option<String>,
}
