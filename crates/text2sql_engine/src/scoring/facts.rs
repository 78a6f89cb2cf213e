//! What a score is computed from.

use std::sync::Arc;

use text2sql_analysis::findings::Finding;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::sql_result::{DatabaseError, Execution};
use text2sql_domain::validate::Rejection;
use text2sql_language::understanding::Understanding;

/// What became of a query.
#[derive(Debug, Clone, Copy)]
pub enum Ending<'a> {
    /// It ran.
    Ran(&'a Execution),
    /// The guard refused it.
    Rejected(&'a Rejection),
    /// The database raised an error.
    Failed(&'a DatabaseError),
}

/// Everything that a score is computed from.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The question.
    pub understanding: &'a Understanding,
    /// The query.
    pub sql: &'a str,
    /// What became of it.
    pub ending: Ending<'a>,
    /// What the checks found in it, measured.
    pub findings: &'a [Finding],
    /// The tables that it was written from.
    pub tables: &'a [Arc<Table>],
    /// Values that phrases of the question mean.
    pub values: &'a [(String, ValueHit)],
    /// Business terms that the question uses.
    pub definitions: &'a [Definition],
    /// Whether the question goes on from an earlier one, which names the rest.
    pub is_follow_up: bool,
    /// The most that it may cost; 0 is any.
    pub max_cost: f64,
}
