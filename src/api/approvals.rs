//! `text2sql.answer(id, options)`: a question whose query a person has approved. Approved it is by `accept('query', id)`.

use pgrx::prelude::*;

use super::ask::hand_over_answer;
use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
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
entry_point!(answer);

/// Answers a question of the caller whose query was approved.
fn answer(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let options = QUESTION.read(call.json(1)?)?;
    hand_over_answer(set, approval::answer(call.bigint(0), &options.overrides)?)
}
