//! `text2sql.add_feedback(trace_id, verdict, corrected_sql, comment)`: records whether an answer was correct.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::feedback::{self, Given};

/// Records whether the answer with that trace_id was correct, with corrected SQL if given; returns the id of
/// the example that awaits verification by a curator, or NULL.
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

/// Removes the caller's feedback about an answer; a curator's decision about it remains.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_feedback(trace_id: Option<pgrx::Uuid>) -> Result<(), ErrorReport> {
    feedback::drop_feedback(trace_id).map_err(report)
}
