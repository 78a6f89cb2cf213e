//! One clause of a statement in words.

/// One clause in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The clause as SQL names it: `FROM`, `LEFT JOIN`, `WHERE`, `WITH monthly` …; inside a helper
    /// result with its name in front: `monthly: GROUP BY`.
    pub clause: String,
    /// What it does, in full sentences.
    pub explanation: String,
}
