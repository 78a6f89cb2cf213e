//! One clause of a statement in words.

/// One clause in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The clause in SQL terms: `FROM`, `LEFT JOIN`, `WHERE`, `WITH monthly` …; inside a
    /// CTE with its name as a prefix: `monthly: GROUP BY`.
    pub clause: String,
    /// The explanation, in full sentences.
    pub explanation: String,
}
