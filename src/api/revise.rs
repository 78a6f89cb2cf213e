//! `text2sql.revise(sql, request, options)`: changes a query as requested, and shows the difference.
//!
//! The given query passes the guard first: a query that the effective role may not run reveals nothing and is
//! not sent to a model. The changed query is run for its first row only, to check it.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_analysis::revision::{changes, line_difference};
use text2sql_domain::answer::Status;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::error::Raised;
use crate::question;
use crate::question::options::QUESTION;
use crate::statement::submitted_sql::SubmittedSql;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.revise(sql text, request text, options jsonb DEFAULT '{}')
    RETURNS TABLE (
        status text, sql text, changes text[], diff text, answer text, warnings text[],
        clarification json, trace_id uuid)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_revise';
"#,
    name = "revise"
);
entry_point!(text2sql_revise, pg_finfo_text2sql_revise, revise);

/// Changes a query, in one row: the status first, then the query and its differences.
fn revise(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let overrides = QUESTION.read(call.json(2)?)?.overrides;
    let given = SubmittedSql::allowed(call.required_text(0, "statement")?, &overrides)?;
    let ran = question::revise::revised(&given, call.text(1).as_deref(), &overrides)?;
    let trace_id = ran.trace_id.into_datum();
    let proposal = match ran.value {
        Ok(proposal) => proposal,
        Err(answer) => {
            let clarification = answer.clarification();
            let mut warnings = answer.warnings;
            warnings.extend(answer.hint);
            return set.hand_over_row(&[
                answer.status.as_str().into_datum(),
                None,
                text_array(&[]),
                None,
                answer.sentence.into_datum(),
                text_array(&warnings),
                clarification.and_then(|text| text_datum(&text)),
                trace_id,
            ]);
        }
    };
    // Named by the changed query as well as by the given one.
    let tables = given.tables_beside(&proposal.sql)?;
    let told = changes(&given.sql, &proposal.sql, &tables);
    let answer = match told.as_slice() {
        [] => "the query is unchanged".to_owned(),
        told => told.join("; "),
    };
    set.hand_over_row(&[
        Status::Ok.as_str().into_datum(),
        text_datum(&proposal.sql),
        text_array(&told),
        text_datum(&line_difference(&given.sql, &proposal.sql)),
        text_datum(&answer),
        text_array(&proposal.notes),
        None,
        trace_id,
    ])
}
