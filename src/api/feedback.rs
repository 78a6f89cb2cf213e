//! `text2sql.add_feedback(trace_id, verdict, corrected_sql, comment)`: says whether an answer was right.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::feedback::{self, Given};

/// Says that the answer of that trace_id was right or wrong, with the SQL that would have been right;
/// gives the id of the example that now waits for a curator, or NULL.
#[pg_extern(volatile, parallel_unsafe)]
fn add_feedback(
    trace_id: Option<pgrx::Uuid>,
    verdict: Option<&str>,
    corrected_sql: default!(Option<&str>, "NULL"),
    comment: default!(Option<&str>, "NULL"),
) -> Result<Option<i64>, ErrorReport> {
    feedback::add(&Given {
        trace_id,
        verdict,
        corrected_sql,
        comment,
    })
    .map_err(report)
}

/// Removes what the caller said about an answer; what a curator has decided stays.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_feedback(trace_id: Option<pgrx::Uuid>) -> Result<(), ErrorReport> {
    feedback::drop_feedback(trace_id).map_err(report)
}
