//! Where generated SQL is judged and run.

use serde_json::{Value, json};

use crate::config::Limits;
use crate::error::Error;
use crate::sql_result::{DatabaseError, Execution, ResultColumn};
use crate::validate::Rejection;

/// Judges and runs generated SQL: always inside the guard, always read-only, always rolled back.
pub trait Database {
    /// Judges `sql` and, when it passes, runs the very tree that was judged.
    fn run(&self, sql: &str, limits: &Limits) -> Result<Outcome<Execution>, Error>;

    /// Names of functions that a query may call and that begin or end as `name` does, in any order.
    fn functions_like(&self, _name: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    /// What makes `sql` give other rows each time it runs, such as a volatile function; `None` when
    /// nothing does.
    fn varies_by(&self, _sql: &str, _limits: &Limits) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Judges and plans `sql` without running it; gives the columns it would return.
    fn check(&self, sql: &str, limits: &Limits) -> Result<Outcome<Vec<ResultColumn>>, Error>;
}

/// What became of a generated statement. Refusals and errors are values: broken SQL is normal here.
#[derive(Debug)]
pub enum Outcome<T> {
    /// It passed the guard, and ran if that was asked for.
    Passed(T),
    /// The guard refused it.
    Rejected(Rejection),
    /// The database raised an error while it analysed, planned or ran it.
    Failed(DatabaseError),
}

impl<T> Outcome<T> {
    /// What the trace keeps of it: no row value, hence no text of an error.
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
}
