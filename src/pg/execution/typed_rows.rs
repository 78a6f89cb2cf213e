//! The rows of a statement that ran, as the server has them, for functions that hand rows over.

use text2sql_domain::sql_result::ResultColumn;

use crate::pg::error::Raised;
use crate::pg::execution::columns::ColumnType;
use crate::pg::execution::receiver::CapturedTuples;
use crate::pg::execution::truncation::Cut;
use crate::pg::settings::{GuardPolicy, Overrides};

/// Rows of a statement that ran, with what the server must know to hand them on.
#[derive(Debug)]
pub(crate) struct TypedRows {
    /// The tuples.
    pub(crate) tuples: CapturedTuples,
    /// Names and types of the columns.
    pub(crate) columns: Vec<ResultColumn>,
    /// Type and modifier of each.
    pub(crate) column_types: Vec<ColumnType>,
    /// What the statement ran under, and its conversions do.
    pub(crate) policy: GuardPolicy,
    /// What cut the rows, if anything did.
    pub(crate) cut: Option<Cut>,
}

impl TypedRows {
    /// The rows, when they are all there are, or the caller allows that they are not. Nothing may
    /// hand rows over before it asked for this.
    pub(crate) fn checked(self, overrides: &Overrides) -> Result<Self, Raised> {
        match self.cut.map(|cut| cut.judge(overrides)) {
            Some(Err(refused)) => {
                self.tuples.end();
                Err(refused)
            }
            Some(Ok(())) | None => Ok(self),
        }
    }
}
