//! The input of a score.

use std::sync::Arc;

use text2sql_analysis::findings::Finding;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::sql_result::{DatabaseError, Execution};
use text2sql_domain::validate::Rejection;
use text2sql_language::understanding::Understanding;

/// The outcome of a query.
#[derive(Debug, Clone, Copy)]
pub enum Ending<'a> {
    /// It ran.
    Ran(&'a Execution),
    /// It passed the guard and was not run, so what only rows show is not known.
    Checked,
    /// The guard refused it.
    Rejected(&'a Rejection),
    /// The database raised an error.
    Failed(&'a DatabaseError),
}

/// The input of a score.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The question.
    pub understanding: &'a Understanding,
    /// The query.
    pub sql: &'a str,
    /// Its outcome.
    pub ending: Ending<'a>,
    /// The findings of the checks.
    pub findings: &'a [Finding],
    /// The tables in the prompt.
    pub tables: &'a [Arc<Table>],
    /// Phrases of the question with the database values they match.
    pub values: &'a [(String, ValueHit)],
    /// Business terms that the question uses.
    pub definitions: &'a [Definition],
    /// Whether the question is a follow-up, which does not mention everything itself.
    pub is_follow_up: bool,
    /// The maximum cost of the query; 0 means no limit.
    pub max_cost: f64,
}
