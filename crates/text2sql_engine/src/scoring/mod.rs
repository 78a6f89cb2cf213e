//! How good a query is for a question, from 0 to 1: seven weighted dimensions, each computed from
//! what is known, with a sentence of why.
//!
//! The same facts always give the same score. What a model thinks of it ([`relevance`]) comes on top,
//! where somebody asked for that, with a share of its own. A score orders attempts and opens a gate;
//! it is no probability: that is what [`text2sql_domain::confidence`] fits from it.

mod dimensions;
mod given;
mod mentions;
pub mod relevance;
#[cfg(test)]
mod tests;
mod values;

pub use given::score_given;

use std::sync::Arc;

use text2sql_analysis::findings::Finding;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Definition, Table};
use text2sql_domain::score::{Dimension, Fault, Part, Score, ScoreConfig};
use text2sql_domain::sql_result::{DatabaseError, Execution};
use text2sql_domain::validate::Rejection;

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
    pub question: &'a str,
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
    /// Terms of the house that the question uses.
    pub definitions: &'a [Definition],
    /// Whether the question goes on from an earlier one, which names the rest.
    pub is_follow_up: bool,
    /// The most that it may cost; 0 is any.
    pub max_cost: f64,
}

/// Scores a query.
pub fn score(facts: &Facts<'_>, config: &ScoreConfig) -> Score {
    let mentions = mentions::read(facts);
    let parts: Vec<Part> = Dimension::ALL
        .into_iter()
        .map(|dimension| dimensions::part(dimension, facts, &mentions))
        .collect();
    let mut faults = Vec::new();
    if !matches!(facts.ending, Ending::Ran(_)) {
        faults.push(Fault::NotRun);
    }
    if facts.findings.iter().any(Finding::is_certain) {
        faults.push(Fault::Certain);
    }
    if !facts.is_follow_up && mentions.is_off_topic() {
        faults.push(Fault::OffTopic);
    }
    Score::new(parts, faults, *config)
}
