//! `text2sql.teach_me(question)` and `text2sql.teach_me(sql => …)`: a query built up clause by clause, each step in words
//! with its first rows.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_phrases::in_language;

use crate::learning::lesson::{TaughtStep, teach};
use crate::pg::Datum;
use crate::pg::access::output::record_set::RecordSet;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::question::options::QUESTION;
use crate::question::{self, Request};
use crate::statement::reader_language::{in_language_named, reader_language};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.teach_me(
    question text DEFAULT NULL, options jsonb DEFAULT '{}', sql text DEFAULT NULL, language text DEFAULT NULL)
    RETURNS TABLE (step integer, clause text, in_words text, query text, first_rows json, row_count bigint, note text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 8
    AS 'MODULE_PATHNAME', 'text2sql_teach_me';
"#,
    name = "teach_me"
);
entry_point!(teach_me);

/// Teaches a query, or the query that answers a question.
fn teach_me(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    if let Some(sql) = call.text(2)? {
        if call.text(0)?.is_some() {
            return Err(Raised::new(
                "22023",
                "either a question or a statement is taught".to_owned(),
            ));
        }
        let taught = in_language_named(call.text(3)?.as_deref(), || teach(sql))?;
        return hand_over(set, &taught);
    }
    let request = Request::alone(call, "teach_me", 1, &QUESTION)?;
    let language = reader_language(Some(&request.question()?))?;
    let written = question::write(&request)?
        .value
        .map_err(|answer| Raised::status(*answer))?;
    if let Some(reason) = written.must_wait.first() {
        return Err(question::must_wait(reason));
    }
    let taught = in_language(language, || teach(written.sql))?;
    hand_over(set, &taught)
}

fn hand_over(set: RecordSet<'_>, taught: &[TaughtStep]) -> Result<Datum, Raised> {
    set.hand_over_rows((1_i32..).zip(taught).map(|(number, taught)| {
        [
            number.into_datum(),
            text_datum(&taught.step.clause),
            text_datum(&taught.step.words),
            text_datum(&taught.step.sql),
            taught.first_rows.as_deref().and_then(text_datum),
            taught.row_count.into_datum(),
            taught.note.as_deref().and_then(text_datum),
        ]
    }))
}
