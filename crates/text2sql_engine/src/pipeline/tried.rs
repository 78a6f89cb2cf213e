//! A statement that ran, or waits for approval.

use super::multi_step_progress::StepRows;
use text2sql_domain::sql_result::{Execution, ResultColumn};

/// A statement that was tried.
pub(super) enum Tried {
    /// It ran.
    Ran(Execution),
    /// It waits, and has these columns.
    Held(Vec<ResultColumn>),
}

impl StepRows for Tried {
    fn columns(&self) -> &[ResultColumn] {
        match self {
            Self::Ran(execution) => &execution.columns,
            Self::Held(columns) => columns,
        }
    }

    fn rows(&self) -> Option<&Execution> {
        match self {
            Self::Ran(execution) => Some(execution),
            Self::Held(_) => None,
        }
    }
}
