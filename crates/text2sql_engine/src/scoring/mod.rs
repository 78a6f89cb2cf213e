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
mod written;

pub use self::facts::{Ending, Facts};
pub use self::mentions::asks_for;

use text2sql_domain::score::{Dimension, Part, Proof, Score, ScoreConfig};

/// Scores a query.
pub fn score(facts: &Facts<'_>, config: &ScoreConfig) -> Score {
    let mentions = mentions::read(facts);
    let parts: Vec<Part> = Dimension::ALL
        .into_iter()
        .map(|dimension| dimensions::part(dimension, facts, &mentions))
        .collect();
    let mut certain: Vec<&'static str> = Vec::new();
    for finding in facts.findings.iter().filter(|one| one.is_certain()) {
        if !certain.contains(&finding.check.as_str()) {
            certain.push(finding.check.as_str());
        }
    }
    let proof = Proof {
        has_run: matches!(facts.ending, Ending::Ran(_) | Ending::Checked),
        certain,
        topic: mentions.topic().filter(|_| !facts.is_follow_up),
        is_whole: !facts.is_follow_up,
    };
    Score::new(parts, proof, *config)
}
