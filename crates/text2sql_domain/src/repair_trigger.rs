//! What sends a query back to the model.

/// What sends a query back to the model. The names are those used in `text2sql.repair_on`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RepairTrigger {
    /// A database error or a rejection by the guard.
    Errors,
    /// A finding that is certain to be a fault as well.
    Findings,
    /// A score below the threshold and an empty result as well.
    Gate,
}

impl RepairTrigger {
    /// The name used in settings and records.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Errors => "errors",
            Self::Findings => "findings",
            Self::Gate => "gate",
        }
    }
}
