//! How likely an answer is right, as it was fitted on evaluations: see `fit_confidence` of the metrics.

/// What a confidence is computed from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signal {
    /// The score of the query, 0 to 1.
    pub score: f64,
    /// The share of candidates that give its rows; 1 of a single one.
    pub agreement: f64,
}

/// A fitted line: how likely a signal is right.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fit {
    /// The log odds of a signal of 0.
    pub intercept: f64,
    /// What the score adds.
    pub by_score: f64,
    /// What agreement adds.
    pub by_agreement: f64,
}

impl Fit {
    /// The likelihood that an answer with that signal is right.
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
