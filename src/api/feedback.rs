//! `text2sql.add_feedback(trace_id, verdict, corrected_sql, comment)`: records whether an answer was correct.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::feedback::{self, Given};

/// Records whether the answer with that trace_id was correct, with corrected SQL if given; returns the id of
/// the example that awaits verification by a curator, or NULL.
#[pg_extern(volatile, parallel_unsafe)]
fn add_feedback(
    trace_id: Option<pgrx::Uuid>,
    verdict: Option<Text<'_>>,
    corrected_sql: default!(Option<Text<'_>>, "NULL"),
    comment: default!(Option<Text<'_>>, "NULL"),
) -> Result<Option<i64>, ErrorReport> {
    let verdict = verdict.as_deref();
    let corrected_sql = corrected_sql.as_deref();
    let comment = comment.as_deref();
    feedback::add(&Given {
        trace_id,
        verdict,
        corrected_sql,
        comment,
    })
    .map_err(report)
}
