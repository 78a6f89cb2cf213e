//! `text2sql.answer(id, options)` and `approve(id, as_example)`: questions whose query waits until a person has approved
//! it.

use pgrx::default;
use pgrx::prelude::*;

use super::ask::hand_over_answer;
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::{ErrorReport, Raised, report};
use crate::pg::stored::record::approvals;
use crate::pg::stored::teaching::examples;
use crate::question::approval;
use crate::question::options::QUESTION;

// The columns are those of ask().
extension_sql!(
    r#"
CREATE FUNCTION text2sql.answer(id bigint, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        status text, answer text, sql text, result_columns json, result_rows json, row_count bigint,
        truncated boolean, confidence double precision, score json, plan text, engine text, warnings text[],
        withheld text[], clarification json, results json, citations json, verified_by text, trace_id uuid, sqlstate text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_answer';
"#,
    name = "answer"
);
entry_point!(text2sql_answer, pg_finfo_text2sql_answer, answer);

/// Answers a question of the caller whose query was approved.
fn answer(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let options = QUESTION.read(call.json(1)?)?;
    hand_over_answer(set, approval::answer(call.bigint(0), &options.overrides)?)
}

/// Approves the query of another role, and makes a verified example of it if requested. Nothing is run: the role
/// that asked does that, with its own privileges.
#[pg_extern(volatile, parallel_unsafe)]
fn approve(
    id: Option<i64>,
    as_example: default!(Option<bool>, "false"),
) -> Result<(), ErrorReport> {
    approve_query(id, as_example.unwrap_or(false)).map_err(report)
}

fn approve_query(id: Option<i64>, as_example: bool) -> Result<(), text2sql_domain::error::Error> {
    let (id, decided) = approvals::approve(id)?;
    if as_example {
        examples::require_curator("an approved query cannot be made an example")?;
        let example = examples::add(Some(&decided.question), Some(&decided.sql))?;
        examples::verify(Some(example))?;
        approvals::keep_example(id, example)?;
    }
    Ok(())
}
