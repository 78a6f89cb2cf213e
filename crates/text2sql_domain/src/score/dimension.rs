//! The dimensions of a query's score.

/// One dimension of a query's score. [`Dimension::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Whether it ran, returned rows and does what it appears to do.
    Correctness,
    /// Whether the guard accepted it.
    Safety,
    /// Its estimated cost relative to the limit.
    Efficiency,
    /// Whether it covers everything that the question mentions.
    Completeness,
    /// Whether it contains nothing that the question does not mention, and whether other candidates agree.
    SemanticAccuracy,
    /// Whether it follows SQL best practices.
    BestPractices,
    /// Whether the planner's estimates were accurate.
    PlanQuality,
}

impl Dimension {
    /// All dimensions, in display order.
    pub const ALL: [Self; 7] = [
        Self::Correctness,
        Self::Safety,
        Self::Efficiency,
        Self::Completeness,
        Self::SemanticAccuracy,
        Self::BestPractices,
        Self::PlanQuality,
    ];

    /// The name used in the SQL interface.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correctness => "correctness",
            Self::Safety => "safety",
            Self::Efficiency => "efficiency",
            Self::Completeness => "completeness",
            Self::SemanticAccuracy => "semantic_accuracy",
            Self::BestPractices => "best_practices",
            Self::PlanQuality => "plan_quality",
        }
    }
}
