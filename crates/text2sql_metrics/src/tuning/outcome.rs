//! What was found about a case.

use serde::Deserialize;

/// The mean of the attempts at a case.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Outcome {
    /// The case.
    pub case: i64,
    /// Share of the attempts that were right.
    pub right: f64,
    /// What an answer cost: money where all answers have a price, else tokens.
    pub cost: f64,
    /// How long it took.
    pub milliseconds: f64,
}
