//! `text2sql.ask(question, conversation, options)`: the whole answer in one row, for programs.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_domain::answer::Status;
use text2sql_domain::citations::citations_json;
use text2sql_domain::json_rows::{columns_json, rows_json};
use text2sql_domain::results::{all_warnings, results_json};

use crate::pg::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::error::Raised;
use crate::pg::output::record_set::RecordSet;
use crate::pg::spi::encoding::for_client;
use crate::pg::{Datum, sqlstate};
use crate::question::Request;
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
entry_point!(text2sql_ask, pg_finfo_text2sql_ask, ask);

/// Answers a question with one row: the status first, then the sentence, the SQL and the rows.
fn ask(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "ask", 1, &QUESTION)?;
    hand_over_answer(set, converse(&request)?)
}

/// Returns an answer as one row with the columns of `ask`.
pub(super) fn hand_over_answer(set: RecordSet<'_>, asked: Conversed) -> Result<Datum, Raised> {
    let answer = asked.answer;
    let sqlstate = (answer.status != Status::Ok).then(|| sqlstate::of_answer(&answer).to_owned());
    let engine = answer.engine().and_then(text_datum);
    let clarification = answer.clarification();
    let main = answer.main();
    let execution = main.execution.as_ref();
    let rows = execution.map(|execution| rows_json(&execution.columns, &execution.rows));
    let score = answer.score.as_ref();
    let text = |text: Option<String>| text.and_then(|text| text_datum(&text));
    let prose = |text: String| for_client(&text).into_owned();
    let prose_list = |texts: Vec<String>| texts.into_iter().map(prose).collect::<Vec<_>>();
    set.hand_over_row(&[
        answer.status.as_str().into_datum(),
        answer.sentence.clone().map(prose).into_datum(),
        main.sql.clone().into_datum(),
        text(execution.map(|execution| columns_json(&execution.columns))),
        rows.into_datum(),
        execution
            .map(|execution| execution.rows.len() as i64)
            .into_datum(),
        execution
            .map(|execution| execution.is_truncated)
            .into_datum(),
        answer.confidence.into_datum(),
        text(score.map(|score| prose(score.document().to_string()))),
        answer.plan.clone().map(prose).into_datum(),
        engine,
        text_array(&prose_list(all_warnings(&answer))),
        text_array(&prose_list(answer.withheld.clone())),
        text(clarification.map(prose)),
        text(results_json(&answer).map(prose)),
        text(citations_json(&answer.citations).map(|citations| prose(citations.to_string()))),
        answer.verified_by.clone().into_datum(),
        asked.trace_id.into_datum(),
        sqlstate.into_datum(),
    ])
}
