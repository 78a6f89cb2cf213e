//! A proposal for making a query faster, with the cost before and after.

use text2sql_domain::named_enum;

named_enum! {
    /// The kind of a proposal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ProposalKind {
        /// The original query.
        Present = "present",
        /// An equivalent rewrite.
        Rewrite = "rewrite",
        /// A rewrite by a model whose equivalence is not proved.
        Unproved = "unproved",
        /// An index.
        Index = "index",
        /// ANALYZE or extended statistics.
        Statistics = "statistics",
        /// Something to install or to know.
        Note = "note",
    }
}

/// A proposal for making a query faster.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The kind.
    pub kind: ProposalKind,
    /// What it does and why it is correct.
    pub explanation: String,
    /// SQL to run: a query or DDL.
    pub sql: Option<String>,
    /// The estimated cost before.
    pub cost_before: Option<f64>,
    /// The estimated cost after.
    pub cost_after: Option<f64>,
    /// Estimated size in bytes.
    pub size: Option<f64>,
    /// What to consider before applying it.
    pub caveats: Option<String>,
}

impl Proposal {
    /// A proposal of this kind with only an explanation.
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

    /// A note.
    pub fn note(explanation: impl Into<String>) -> Self {
        Self::new(ProposalKind::Note, explanation)
    }

    /// The fraction of the cost that it saves, 0 to 1.
    pub(super) fn saving(&self) -> f64 {
        match (self.cost_before, self.cost_after) {
            (Some(before), Some(after)) if before > 0.0 => (before - after) / before,
            _ => 0.0,
        }
    }
}
