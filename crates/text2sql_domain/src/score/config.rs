//! How scores are computed, and what fails a query.

use super::weights::Weights;

/// How scores are computed and used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreConfig {
    /// The weight of each dimension.
    pub weights: Weights,
    /// A total below this fails the query.
    pub threshold: f64,
    /// A query fails that is about a smaller share of what the question names.
    pub topic_threshold: f64,
    /// A completeness below this fails the query.
    pub completeness_threshold: f64,
    /// An opinion of the model below this fails the query.
    pub relevance_threshold: f64,
    /// The weight of the model's opinion in the total, if the model is asked.
    pub relevance_share: f64,
    /// Whether the model is asked how well the result answers the question: one call per attempt.
    pub enable_relevance_check: bool,
}

impl Default for ScoreConfig {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            threshold: 0.75,
            topic_threshold: 0.5,
            completeness_threshold: 0.6,
            relevance_threshold: 0.5,
            relevance_share: 0.15,
            enable_relevance_check: false,
        }
    }
}
