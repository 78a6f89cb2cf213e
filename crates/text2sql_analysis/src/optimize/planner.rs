//! What optimizing needs from the server: plans, also with indexes that do not exist, and how tables are stored.

use std::sync::Arc;

use crate::execution_plan::Plan;
use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;

/// What the planner and the catalog know beyond [`Table`].
pub trait Planner {
    /// The plan of `sql`, as if the indexes of `CREATE INDEX` statements `imagined` were there.
    /// `None` when it cannot be had.
    fn plan(&self, sql: &str, imagined: &[String]) -> Result<Option<ImaginedPlan>, Error>;

    /// Whether indexes can be imagined (hypopg is there and may be used).
    fn can_imagine(&self) -> bool;

    /// What is known of the tables' storage.
    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error>;
}

/// A plan with what imagined indexes would weigh.
#[derive(Debug, Clone, PartialEq)]
pub struct ImaginedPlan {
    /// The plan.
    pub plan: Plan,
    /// Names of the imagined indexes as the plan shows them, in the order they were asked for.
    pub names: Vec<String>,
    /// Estimated sizes in bytes, in the same order.
    pub sizes: Vec<f64>,
}

/// How a table is stored.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// OID of the table.
    pub table: u32,
    /// Its indexes, as far as the caller may know their columns.
    pub indexes: Vec<ExistingIndex>,
    /// Rows changed since the last ANALYZE.
    pub changed_rows: f64,
    /// Foreign keys that prove nothing at this moment: NOT VALID or deferrable. Their columns.
    pub unproven_keys: Vec<Vec<String>>,
    /// Names of extended statistics, with their columns.
    pub statistics: Vec<Vec<String>>,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExistingIndex {
    /// Its name.
    pub name: String,
    /// Key columns in order; `None` for an expression.
    pub columns: Vec<Option<String>>,
    /// Access method.
    pub method: String,
    /// Whether it has a predicate.
    pub is_partial: bool,
    /// Whether a constraint needs it.
    pub is_unique: bool,
}
