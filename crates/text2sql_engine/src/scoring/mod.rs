//! Scores a query for a question, from 0 to 1: seven weighted dimensions, each with a sentence that
//! explains it.
//!
//! The same facts always give the same score. A model's judgement ([`relevance`]) is added, with its own
//! weight, if enabled. The score ranks attempts and decides about repairs. It is not a probability;
//! [`text2sql_domain::confidence`] computes one from it.

mod dimensions;
mod facts;
mod mentions;
pub mod relevance;
#[cfg(test)]
mod tests;
mod values;
mod written;

pub use self::facts::{Ending, Facts};

use text2sql_analysis::findings::Finding;
use text2sql_domain::score::{Dimension, Fault, Part, Score, ScoreConfig};

/// Scores a query.
pub fn score(facts: &Facts<'_>, config: &ScoreConfig) -> Score {
    let mentions = mentions::read(facts);
    let parts: Vec<Part> = Dimension::ALL
        .into_iter()
        .map(|dimension| dimensions::part(dimension, facts, &mentions))
        .collect();
    let mut faults = Vec::new();
    if !matches!(facts.ending, Ending::Ran(_) | Ending::Checked) {
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
