//! `text2sql.why_empty(sql)`: why a query returns no rows, and the smallest change after which it returns some.

use pgrx::prelude::*;
use text2sql_analysis::findings::Effort;
use text2sql_analysis::why_empty;
use text2sql_domain::ports::Outcome;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_array, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::Overrides;
use crate::statement::reader_language::in_reader_language;
use crate::statement::submitted_sql::SubmittedSql;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.why_empty(sql text)
    RETURNS TABLE (cause text, part text, explanation text, nearest text[], changed_sql text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 3
    AS 'MODULE_PATHNAME', 'text2sql_why_empty';
"#,
    name = "why_empty"
);
entry_point!(why_empty);

/// Removes conditions one at a time until rows are found.
fn why_empty(call: &Call) -> Result<Datum, Raised> {
    in_reader_language(|| causes(call))
}

fn causes(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let given = SubmittedSql::read(call.required_text(0, "statement")?, &Overrides::default())?;
    let effort = Effort::within(&given.limits);
    let outcome = why_empty::why_empty(&given.sql, &given.tables, &given.database, &effort)?;
    let causes = match outcome {
        Outcome::Passed(causes) => causes,
        Outcome::Rejected(rejection) => return Err(Raised::refusal(&rejection, &given.sql)),
        Outcome::Failed(error) => return Err(given.failure(error)),
    };
    set.hand_over_rows(causes.iter().map(|cause| {
        [
            text_datum(cause.kind.as_str()),
            cause.part.as_deref().and_then(text_datum),
            text_datum(&cause.explanation),
            (!cause.nearest.is_empty())
                .then(|| text_array(&cause.nearest))
                .flatten(),
            cause.changed.as_deref().and_then(text_datum),
        ]
    }))
}
