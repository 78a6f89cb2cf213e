//! What sends a query back to the model.

use crate::named_enum;

named_enum! {
    /// What sends a query back to the model. The names are those used in `repair_on`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum RepairTrigger {
        /// A database error or a rejection by the guard.
        Errors = "errors",
        /// A finding that is certain to be a fault as well.
        Findings = "findings",
        /// A score below the threshold and an empty result as well.
        Gate = "gate",
    }
}
