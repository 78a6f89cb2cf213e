//! One way to make a query faster, with what it costs before and after.

/// What kind of proposal it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposalKind {
    /// The query as it is.
    Present,
    /// The same result, written otherwise.
    Rewrite,
    /// Written otherwise by a model, and nothing shows that the result is the same.
    Unproved,
    /// An index.
    Index,
    /// ANALYZE or extended statistics.
    Statistics,
    /// Something to install or know.
    Note,
}

impl ProposalKind {
    /// The word that programs match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Present => "present",
            Self::Rewrite => "rewrite",
            Self::Unproved => "unproved",
            Self::Index => "index",
            Self::Statistics => "statistics",
            Self::Note => "note",
        }
    }
}

/// One way to make a query faster.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// What kind it is.
    pub kind: ProposalKind,
    /// What it does and why that is sound.
    pub explanation: String,
    /// SQL to paste: a query or DDL.
    pub sql: Option<String>,
    /// The planner's cost as it is.
    pub cost_before: Option<f64>,
    /// The planner's cost with it.
    pub cost_after: Option<f64>,
    /// Estimated size in bytes.
    pub size: Option<f64>,
    /// What to know before doing it.
    pub caveats: Option<String>,
}

impl Proposal {
    /// A proposal of that kind, with nothing but its explanation.
    pub fn new(kind: ProposalKind, explanation: impl Into<String>) -> Self {
        Self {
            kind,
            explanation: explanation.into(),
            sql: None,
            cost_before: None,
            cost_after: None,
            size: None,
            caveats: None,
        }
    }

    /// Something to know, in a sentence.
    pub fn note(explanation: impl Into<String>) -> Self {
        Self::new(ProposalKind::Note, explanation)
    }

    /// How much of the cost it saves, 0 to 1.
    pub(super) fn saving(&self) -> f64 {
        match (self.cost_before, self.cost_after) {
            (Some(before), Some(after)) if before > 0.0 => (before - after) / before,
            _ => 0.0,
        }
    }
}
