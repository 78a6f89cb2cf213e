//! The guard's and the server's verdict on a statement.

use text2sql_domain::ports::Outcome;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::{Rejection, Rule};

/// The outcome of a statement.
#[derive(Debug)]
pub(crate) enum Verdict<T> {
    /// It passed.
    Passed(T),
    /// The guard refused it.
    Rejected(Rejection),
    /// The database raised an error while it analyzed, planned or executed it.
    Failed(DatabaseError),
}

impl<T> Verdict<T> {
    /// The same for the core, with what it needs of a statement that passed.
    pub(crate) fn into_outcome<U>(self, passed: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Passed(value) => Outcome::Passed(passed(value)),
            Self::Rejected(rejection) => Outcome::Rejected(rejection),
            Self::Failed(error) => Outcome::Failed(error),
        }
    }
}

/// Why a statement did not pass.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The guard refused it.
    Rejected(Rejection),
    /// It is invalid SQL.
    Failed(DatabaseError),
}

impl From<Rejection> for Refusal {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl<T> From<Refusal> for Verdict<T> {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Rejected(rejection) => Self::Rejected(rejection),
            Refusal::Failed(error) => Self::Failed(error),
        }
    }
}

/// A rejection without an offender or a position yet.
pub(super) fn refuse(rule: Rule, reason: impl Into<String>) -> Rejection {
    Rejection {
        rule,
        reason: reason.into(),
        offender: None,
        position: None,
    }
}
