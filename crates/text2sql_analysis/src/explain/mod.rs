//! Explains a SELECT in plain English, clause by clause, without a model; what changes data is
//! explained as what it would do.
//!
//! The same statement over the same tables always gives the same words. Parsing is `sqlparser`'s:
//! it has no say in what may run (the guard judges the server's own tree), so where it does not
//! know PostgreSQL's grammar, or we have no words for a part, the step says so and shows the SQL.
//! Comments of the tables and columns that the statement touches are quoted once each.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;

mod cardinality;
pub(crate) mod category;
mod changes;
mod comparison;
pub(crate) mod condition;
mod expression;
mod from;
pub(crate) mod function;
pub(crate) mod literal;
mod meanings;
mod mistake;
mod narrator;
mod other_dialects;
mod outputs;
mod query;
mod relations;
pub(crate) mod scope;
pub(crate) mod statement;
mod step;
mod subquery;
#[cfg(test)]
mod tests;
mod window;

pub use meanings::meanings;
pub use mistake::{Mistake, corrected, mistake, without_closed_hint};
pub use step::Step;

/// Explains one SELECT (WITH, VALUES, TABLE) in the order in which a person should read it, or says
/// what another statement would change.
///
/// `tables` are the tables that it may touch, with their comments and keys; names that are not
/// among them are shown as they are written. Fails with `ErrorKind::Setting` when `sql` is not
/// one statement that can be read, with `ErrorKind::Limit` when it is too long to be read.
pub fn explain(sql: &str, tables: &[Arc<Table>]) -> Result<Vec<Step>, Error> {
    statement::explain(sql, tables)
}

/// A query that counts the rows which an UPDATE or DELETE of one table would change at this moment.
pub fn affected_rows(sql: &str) -> Option<String> {
    statement::affected_rows(sql)
}
