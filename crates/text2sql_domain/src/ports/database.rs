//! Checks and runs generated SQL.

use serde_json::{Value, json};

use crate::config::Limits;
use crate::error::Error;
use crate::sql_result::{DatabaseError, Execution, ResultColumn};
use crate::validate::Rejection;

/// Checks and runs generated SQL: always through the guard, read-only, and rolled back.
pub trait Database {
    /// Checks `sql` and, if it passes, runs exactly the tree that was checked.
    fn run(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error>;

    /// Names of permitted functions that may be similar to `name`, in any order.
    fn functions_like(&self, _name: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// What makes repeated runs of `sql` return different rows, such as a volatile function; `None` if
    /// nothing does.
    fn varies_by(&self, _sql: &str, _limits: &Limits) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// The relations that `sql` would read now, those behind views included, by OID, sorted; empty where the guard rejects
    /// it.
    fn relations_of(&self, _sql: &str, _limits: &Limits) -> Result<Vec<u32>, Error> {
        Ok(Vec::new())
    }

    /// Whether the names in `sql` mean the relations that those of a verified example meant to who verified it.
    fn means_as_verified(
        &self,
        _example: u32,
        _sql: &str,
        _limits: &Limits,
    ) -> Result<bool, Error> {
        Ok(true)
    }

    /// Checks and plans `sql` without running it; returns the columns of its result.
    fn check(&self, sql: &str, limits: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error>;
}

/// The outcome for a generated statement. Rejections and errors are values, because invalid SQL is expected.
#[derive(Debug)]
pub enum Outcome<T> {
    /// It passed the guard, and ran if requested.
    Passed(T),
    /// The guard rejected it.
    Rejected(Rejection),
    /// The database raised an error while analysing, planning or running it.
    Failed(DatabaseError),
}

impl<T> Outcome<T> {
    /// The same outcome with another result.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Outcome<U> {
        match self {
            Self::Passed(result) => Outcome::Passed(change(result)),
            Self::Rejected(rejection) => Outcome::Rejected(rejection),
            Self::Failed(error) => Outcome::Failed(error),
        }
    }

    /// The summary for the trace: no row value, hence no error text.
    pub fn summary(&self) -> Value {
        match self {
            Self::Passed(_) => json!({"outcome": "passed"}),
            Self::Rejected(rejection) => json!({
                "outcome": "rejected",
                "rule": rejection.rule.as_str(),
                "offender": rejection.offender,
            }),
            Self::Failed(error) => json!({"outcome": "failed", "sqlstate": error.sqlstate}),
        }
    }

    /// The summary of a statement that may have run, with what is known about where it ran.
    pub fn summary_of_run(&self, execution: impl FnOnce(&T) -> Option<&Execution>) -> Value {
        let mut summary = self.summary();
        if let Self::Passed(result) = self
            && let Some(execution) = execution(result)
            && !execution.notes.is_empty()
            && let Some(summary) = summary.as_object_mut()
        {
            summary.insert("notes".to_owned(), json!(execution.notes));
        }
        summary
    }
}
