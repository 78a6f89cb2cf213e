//! The rows of an executed statement in the server's representation, for functions that return rows.

use text2sql_domain::sql_result::ResultColumn;

use crate::pg::access::execution::columns::ColumnType;
use crate::pg::access::execution::row_capture::CapturedTuples;
use crate::pg::access::execution::truncation::Truncation;
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{GuardPolicy, Overrides};

/// Rows of an executed statement, with what is needed to return them.
#[derive(Debug)]
pub(crate) struct TypedRows {
    /// The tuples.
    pub(crate) tuples: CapturedTuples,
    /// Names and types of the columns.
    pub(crate) columns: Vec<ResultColumn>,
    /// Type and modifier of each.
    pub(crate) column_types: Vec<ColumnType>,
    /// The settings and role for the statement, and for conversions of its rows.
    pub(crate) policy: GuardPolicy,
    /// The limit that truncated the rows, if any.
    pub(crate) truncation: Option<Truncation>,
}

impl TypedRows {
    /// The rows, if they are complete or the caller allows truncation. To be called before any rows are
    /// returned.
    pub(crate) fn checked(self, overrides: &Overrides) -> Result<Self, Raised> {
        match self
            .truncation
            .map(|truncation| truncation.judge(overrides))
        {
            Some(Err(refused)) => {
                self.tuples.end();
                Err(refused)
            }
            Some(Ok(())) | None => Ok(self),
        }
    }
}
