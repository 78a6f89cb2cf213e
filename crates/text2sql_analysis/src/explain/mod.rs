//! Explains a SELECT in plain English, clause by clause, without a model; a statement that changes data
//! is explained by what it would do.
//!
//! The same statement over the same tables always gives the same words. `sqlparser` parses the statement
//! but has no influence on what may run (the guard checks PostgreSQL's own tree). If it does not
//! support the syntax, or there is no wording for a part, the step says so and shows the SQL.
//! Comments of the tables and columns that the statement touches are quoted once each.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;

mod call;
mod cardinality;
pub(crate) mod category;
mod changes;
mod comparison;
pub(crate) mod condition;
mod expression;
mod from;
pub(crate) mod function;
mod given_dialect;
pub(crate) mod literal;
mod meanings;
mod mistake;
mod narrator;
mod other_dialects;
mod outline;
mod outputs;
mod query;
mod relations;
pub(crate) mod scope;
pub(crate) mod script;
pub(crate) mod statement;
mod step;
mod subquery;
#[cfg(test)]
mod tests;
mod window;

pub use call::{Called, called, opened};
pub use given_dialect::{form_steps, not_of_dialect};
pub use meanings::meanings;
pub use mistake::{Mistake, corrected, mistake, without_closed_hint};
pub use script::{names as names_in_script, script};
pub use step::Step;

/// Explains one SELECT (WITH, VALUES, TABLE) in reading order, or describes
/// what another statement would change.
///
/// `tables` are the tables that it may read, with their comments and keys; other names are
/// shown as written. Fails with `ErrorKind::Setting` if `sql` is not
/// one statement that can be parsed, with `ErrorKind::Limit` if it is too long.
pub fn explain(sql: &str, tables: &[Arc<Table>]) -> Result<Vec<Step>, Error> {
    statement::explain(sql, tables)
}

/// What a query does in a few short lines, without the comments of tables and columns; none if it cannot be parsed.
pub fn outline(sql: &str, tables: &[Arc<Table>]) -> Vec<Step> {
    outline::outline(sql, tables)
}

/// A query that counts the rows that an UPDATE or DELETE of one table would currently change.
pub fn affected_rows(sql: &str) -> Option<String> {
    statement::affected_rows(sql)
}
