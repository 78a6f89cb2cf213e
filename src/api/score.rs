//! `text2sql.score(question, sql, conversation, options)`: how well a query answers a question, dimension by
//! dimension.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_domain::score::Fault;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::question::options::QUESTION;
use crate::question::{self, Request};
use crate::statement::submitted_sql::SubmittedSql;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.score(question text, sql text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS TABLE (dimension text, weight double precision, score double precision, reason text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 8
    AS 'MODULE_PATHNAME', 'text2sql_score';
"#,
    name = "score"
);
entry_point!(score);

/// Runs the query under the guard and scores it; the last row is the total.
fn score(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "score", 2, &QUESTION)?;
    let given = SubmittedSql::read(call.required_text(1, "statement")?, &request.overrides)?;
    let score = question::score(&request, &given)?;
    let threshold = score.threshold();
    let failures = score.failures();
    let reasons: Vec<String> = failures.iter().map(|failure| failure.reason()).collect();
    let verdict = match failures.as_slice() {
        [] => format!("The score reaches the threshold of {threshold}."),
        [Fault::LowTotal] => format!("The score is below the threshold of {threshold}."),
        _ => format!("The query fails: {}", reasons.join(" ")),
    };
    let parts = score.parts.iter().map(|part| {
        [
            text_datum(part.dimension.as_str()),
            score.weight_of(part.dimension).into_datum(),
            part.score.map(shown).into_datum(),
            text_datum(&part.reason),
        ]
    });
    let total = [
        text_datum("total"),
        1.0.into_datum(),
        shown(score.total()).into_datum(),
        text_datum(&verdict),
    ];
    set.hand_over_rows(parts.chain(std::iter::once(total)))
}

/// Only the significant digits.
fn shown(share: f64) -> f64 {
    (share * 1_000.0).round() / 1_000.0
}
