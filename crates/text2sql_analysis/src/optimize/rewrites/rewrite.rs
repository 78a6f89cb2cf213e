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
    /// What the server must confirm before the proof holds.
    pub proviso: Option<Proviso>,
    /// Whether it is worth proposing at the same cost, because less of the query is left to read.
    pub is_simpler: bool,
}

/// A fact outside the catalog that a rewrite depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proviso {
    /// A query that returns one text if the fact holds, and no row otherwise.
    pub query: String,
    /// The caveat, with `{}` in place of that text.
    pub caveat: &'static str,
}
