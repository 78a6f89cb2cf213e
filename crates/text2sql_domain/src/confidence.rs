//! The probability that an answer is right, fitted on evaluations: see `fit_confidence` of the metrics.

/// What a confidence is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signal {
    /// The score of the query, 0 to 1.
    pub score: f64,
    /// The share of candidates with the same rows; 1 for a single candidate.
    pub agreement: f64,
}

/// A fitted logistic regression.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fit {
    /// The log odds at a signal of 0.
    pub intercept: f64,
    /// The coefficient of the score.
    pub by_score: f64,
    /// The coefficient of the agreement.
    pub by_agreement: f64,
}

impl Fit {
    /// The probability that an answer with this signal is right.
    pub fn probability(&self, signal: Signal) -> f64 {
        sigmoid(
            self.intercept + self.by_score * signal.score + self.by_agreement * signal.agreement,
        )
    }
}

/// From log odds to a probability.
pub fn sigmoid(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}
