//! The dimensions of a query's score.

use crate::named_enum;

named_enum! {
    listed:
    /// One dimension of a query's score. [`Dimension::as_str`] is part of the interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Dimension {
        /// Whether it ran, returned rows and does what it appears to do.
        Correctness = "correctness",
        /// Whether the guard accepted it.
        Safety = "safety",
        /// Its estimated cost relative to the limit.
        Efficiency = "efficiency",
        /// Whether it covers everything that the question mentions.
        Completeness = "completeness",
        /// Whether it contains nothing that the question does not mention, and whether other candidates agree.
        SemanticAccuracy = "semantic_accuracy",
        /// Whether it follows SQL best practices.
        BestPractices = "best_practices",
        /// Whether the planner's estimates were accurate.
        PlanQuality = "plan_quality",
    }
}
