//! The components of a statement, as data.

use std::collections::BTreeSet;

/// The components of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Components {
    /// Tables and views, without CTEs.
    pub tables: BTreeSet<String>,
    /// Columns, as `table.column` or `column`.
    pub columns: BTreeSet<String>,
    /// Operators, functions and clauses, each as often as it occurs.
    pub operations: Vec<String>,
    /// Dates, intervals, date parts and the clock.
    pub dates: Vec<String>,
    /// Directions of the outermost ORDER BY.
    pub sort: Vec<String>,
    /// The outermost LIMIT.
    pub limit: Option<String>,
    /// Texts and numbers that are neither dates nor the limit.
    pub literals: Vec<String>,
    /// Kinds of joins, one for each.
    pub joins: Vec<String>,
    /// Aggregate functions.
    pub aggregates: Vec<String>,
    /// Columns of the result that the outermost ORDER BY sorts by, where all of it is such columns.
    pub sort_keys: Vec<usize>,
}
