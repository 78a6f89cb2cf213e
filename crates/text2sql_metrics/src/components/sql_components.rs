//! The components of a statement.

use std::collections::BTreeSet;

/// The components of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Components {
    /// Tables and views, without CTEs.
    pub tables: BTreeSet<String>,
    /// Columns, as `table.column` or `column`.
    pub columns: BTreeSet<String>,
    /// Operators, functions and clauses, with repetitions.
    pub operations: Vec<String>,
    /// Dates, intervals, date parts and current-time functions.
    pub dates: Vec<String>,
    /// Directions of the outermost ORDER BY.
    pub sort: Vec<String>,
    /// The outermost LIMIT.
    pub limit: Option<String>,
    /// String and number literals that are neither dates nor the limit.
    pub literals: Vec<String>,
    /// Kinds of joins, one entry for each join.
    pub joins: Vec<String>,
    /// Aggregate functions.
    pub aggregates: Vec<String>,
    /// Result columns of the outermost ORDER BY; empty unless all sort keys are result columns.
    pub sort_keys: Vec<usize>,
}
