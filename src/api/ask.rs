//! `text2sql.ask(question, options)`: one row with everything; what a program calls.

use pgrx::prelude::*;
use pgrx::{JsonB, JsonString};
use text2sql_core::json_rows::{columns_json, rows_json};

use crate::pg::error::{ErrorReport, report};
use crate::question;

/// Answers a question with one row: the status first, then the sentence, the SQL and the rows.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(
    clippy::type_complexity,
    reason = "the columns are the interface; pgrx wants them spelled out here"
)]
fn ask(
    question: Option<&str>,
    options: default!(Option<JsonB>, "'{}'"),
) -> Result<
    TableIterator<
    'static,
    (
        name!(status, String),
        name!(answer, Option<String>),
        name!(sql, Option<String>),
        name!(columns, Option<JsonString>),
        name!(rows, Option<JsonString>),
        name!(row_count, Option<i64>),
        name!(truncated, Option<bool>),
        name!(confidence, Option<f64>),
        name!(warnings, Vec<String>),
        name!(withheld, Vec<String>),
        name!(clarification, Option<JsonString>),
        name!(verified_by, Option<String>),
        name!(trace_id, pgrx::Uuid),
    ),
>, ErrorReport> {
    let overrides = question::overrides(options).map_err(report)?;
    let asked = question::ask(question, &overrides, false).map_err(report)?;
    let answer = asked.answer;
    let clarification = (!answer.readings.is_empty()).then(|| {
        JsonString(
            serde_json::json!({"question": answer.sentence, "readings": answer.readings})
                .to_string(),
        )
    });
    let execution = answer.execution.as_ref();
    let mut warnings = answer.warnings.clone();
    warnings.extend(answer.hint.clone());
    Ok(TableIterator::once((
        answer.status.as_str().to_owned(),
        answer.sentence.clone(),
        answer.sql.clone(),
        execution.map(|execution| JsonString(columns_json(&execution.columns))),
        execution.map(|execution| JsonString(rows_json(&execution.columns, &execution.rows))),
        execution.map(|execution| execution.rows.len() as i64),
        execution.map(|execution| execution.is_truncated),
        None,
        warnings,
        Vec::new(),
        clarification,
        None,
        asked.trace_id,
    )))
}
