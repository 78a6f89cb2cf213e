//! What is recorded of a question that was answered in several parts: one row.

use text2sql_domain::answer::Answer;
use text2sql_engine::several_answers::{all_sql, last_answered};

use crate::pg::stored::record::history::Ended;

/// The queries of all parts and the rows of all of them. A conversation continues from the last part.
pub(super) fn ended(answer: &Answer) -> Ended {
    let executions = answer.parts.iter();
    let executions: Vec<_> = executions
        .filter_map(|part| part.answer.execution.as_ref())
        .collect();
    let rows = executions.iter().map(|execution| execution.rows.len());
    let last = last_answered(&answer.parts);
    Ended {
        status: answer.status.as_str(),
        sqlstate: answer.error.as_ref().map(|error| error.sqlstate.clone()),
        sql: all_sql(&answer.parts),
        continued_sql: last.and_then(|part| part.answer.sql.clone()),
        row_count: (!executions.is_empty()).then(|| rows.sum()),
        is_truncated: (!executions.is_empty())
            .then(|| executions.iter().any(|execution| execution.is_truncated)),
        verified_by: answer.verified_by.clone(),
        confidence: answer.confidence,
        readings: Vec::new(),
    }
}
