//! What a workload consists of, and how much may be proposed for it.

/// A statement of the workload.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkStatement {
    /// The query with its parameters, or the one that stands for a statement that writes.
    pub query: String,
    /// The same with an unknown value of its type instead of each parameter.
    pub typed: String,
    /// The types of the parameters.
    pub types: Vec<String>,
    /// How often it ran.
    pub calls: f64,
}

/// How much may be proposed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// Maximum number of indexes.
    pub max_indexes: usize,
    /// Maximum size of all together, in bytes.
    pub max_bytes: Option<f64>,
}
