//! The sides from which a query's quality is seen.

/// One side of a query's quality. Its [`Dimension::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Whether it ran, gave rows, and does what it seems to.
    Correctness,
    /// Whether the guard let it run.
    Safety,
    /// What it costs, beside what it may cost.
    Efficiency,
    /// Whether everything that the question mentions is in it.
    Completeness,
    /// Whether nothing is in it that the question does not mention, and whether others agree.
    SemanticAccuracy,
    /// Whether it is written as one should.
    BestPractices,
    /// Whether the planner knew what to expect.
    PlanQuality,
}

impl Dimension {
    /// Every dimension, in the order of the design.
    pub const ALL: [Self; 7] = [
        Self::Correctness,
        Self::Safety,
        Self::Efficiency,
        Self::Completeness,
        Self::SemanticAccuracy,
        Self::BestPractices,
        Self::PlanQuality,
    ];

    /// The word that programs match on.
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
