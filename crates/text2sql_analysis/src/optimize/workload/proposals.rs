//! What is proposed for a workload.

use super::super::rewrites::Rewrite;

/// What is proposed for a workload.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadProposals {
    /// The cost of each statement now; `None` if it could not be planned.
    pub before: Vec<Option<f64>>,
    /// The cost of each with all proposed indexes.
    pub after: Vec<Option<f64>>,
    /// The indexes, the one that saves most first.
    pub indexes: Vec<ProposedIndex>,
    /// Equivalent queries that the planner expects to be faster.
    pub rewrites: Vec<ProposedRewrite>,
    /// Whether the costs with indexes are the planner's.
    pub is_planned: bool,
    /// Whether there were too many combinations to try them all.
    pub is_cut: bool,
}

/// A proposed index.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedIndex {
    /// OID of its table.
    pub table: u32,
    /// The statement that creates it.
    pub statement: String,
    /// Its columns, if it has no expression.
    pub columns: Vec<String>,
    /// Estimated size in bytes.
    pub size: f64,
    /// The statements that would use it: position, cost before, cost with all proposed indexes.
    pub gains: Vec<(usize, f64, f64)>,
    /// Existing indexes that it makes redundant.
    pub redundant: Vec<String>,
}

/// A query with the same rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedRewrite {
    /// Position of the statement.
    pub statement: usize,
    /// The rewrite.
    pub rewrite: Rewrite,
    /// The planner's cost of the statement.
    pub before: f64,
    /// Cost of the rewrite.
    pub after: f64,
}
