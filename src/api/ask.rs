//! `text2sql.ask(question, conversation, options)`: the whole answer in one row, for programs.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::access::output::record_set::RecordSet;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::spi::encoding::for_client;
use crate::question::Request;
use crate::question::answer_row::AnswerRow;
use crate::question::converse::{Conversed, converse};
use crate::question::options::QUESTION;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.ask(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        status text, answer text, sql text, result_columns json, result_rows json, row_count bigint,
        truncated boolean, confidence double precision, score json, plan text, engine text, warnings text[],
        withheld text[], clarification json, results json, citations json, verified_by text, trace_id uuid, sqlstate text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_ask';
"#,
    name = "ask"
);
entry_point!(ask);

/// Answers a question with one row: the status first, then the sentence, the SQL and the rows.
fn ask(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "ask", 1, &QUESTION)?;
    hand_over_answer(set, converse(&request)?)
}

/// Returns an answer as one row with the columns of `ask`.
pub(super) fn hand_over_answer(set: RecordSet<'_>, asked: Conversed) -> Result<Datum, Raised> {
    let row = AnswerRow::of(&asked);
    let text = |text: Option<String>| text.and_then(|text| text_datum(&text));
    let prose = |text: String| for_client(&text).into_owned();
    let prose_list = |texts: Vec<String>| texts.into_iter().map(prose).collect::<Vec<_>>();
    set.hand_over_row(&[
        row.status.into_datum(),
        row.answer.map(prose).into_datum(),
        row.sql.into_datum(),
        text(row.result_columns),
        row.result_rows.into_datum(),
        row.row_count.into_datum(),
        row.truncated.into_datum(),
        row.confidence.into_datum(),
        text(row.score.map(prose)),
        row.plan.map(prose).into_datum(),
        text(row.engine),
        text_array(&prose_list(row.warnings)),
        text_array(&prose_list(row.withheld)),
        text(row.clarification.map(prose)),
        text(row.results.map(prose)),
        text(row.citations.map(prose)),
        row.verified_by.into_datum(),
        row.trace_id.into_datum(),
        row.sqlstate.into_datum(),
    ])
}
