//! How scores are computed, and what fails a query.

use super::weights::Weights;
use crate::with_defaults;

with_defaults! {
    /// How scores are computed and used.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct ScoreConfig {
        /// The weight of each dimension.
        pub weights: Weights = Weights::default(),
        /// A total below this fails the query.
        pub threshold: f64 = 0.75,
        /// A query fails that is about a smaller share of what the question names.
        pub topic_threshold: f64 = 0.5,
        /// A completeness below this fails the query.
        pub completeness_threshold: f64 = 0.6,
        /// An opinion of the model below this fails the query.
        pub relevance_threshold: f64 = 0.5,
        /// The weight of the model's opinion in the total, if the model is asked.
        pub relevance_share: f64 = 0.15,
        /// Whether the model is asked how well the result answers the question: one call per attempt.
        pub enable_relevance_check: bool = false,
    }
}
