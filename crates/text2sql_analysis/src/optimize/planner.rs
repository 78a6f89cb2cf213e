//! The optimizer's interface to the server: plans, also with hypothetical indexes, and storage details of tables.

use std::sync::Arc;

use crate::execution_plan::Plan;
use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;

/// Planner and catalog information beyond [`Table`].
pub trait Planner {
    /// The plan of `sql` with the indexes of the `CREATE INDEX` statements `imagined` as hypothetical indexes.
    /// `None` if it is not available.
    fn plan(&self, sql: &str, imagined: &[String]) -> Result<Option<ImaginedPlan>, Error>;

    /// Whether hypothetical indexes are supported (hypopg is installed and permitted).
    fn can_imagine(&self) -> bool;

    /// The storage details of the tables.
    fn storage(&self, tables: &[Arc<Table>]) -> Result<Vec<Storage>, Error>;
}

/// A plan with the estimated sizes of the hypothetical indexes.
#[derive(Debug, Clone, PartialEq)]
pub struct ImaginedPlan {
    /// The plan.
    pub plan: Plan,
    /// Names of the hypothetical indexes in the plan, in the requested order.
    pub names: Vec<String>,
    /// Estimated sizes in bytes, in the same order.
    pub sizes: Vec<f64>,
}

/// Storage details of a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Storage {
    /// OID of the table.
    pub table: u32,
    /// Its indexes, if the caller may see their columns.
    pub indexes: Vec<ExistingIndex>,
    /// Rows changed since the last ANALYZE.
    pub changed_rows: f64,
    /// Columns of foreign keys that currently prove nothing: NOT VALID or deferrable.
    pub unproven_keys: Vec<Vec<String>>,
    /// Columns of each extended statistics object.
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
    /// Whether it is unique.
    pub is_unique: bool,
}
