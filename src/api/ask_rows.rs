//! `text2sql.ask_rows(question, conversation, options)`: typed rows, as declared by the caller's column
//! definition list.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.ask_rows(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_ask_rows';
"#,
    name = "ask_rows"
);
entry_point!(ask_rows);

/// Answers a question with rows of the declared column types.
fn ask_rows(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let request = Request::read(call, "ask_rows", 1, &QUESTION)?;
    let asked = set.in_query_memory(|| question::ask(&request, false))?;
    match asked.rows {
        Some(rows) => set.hand_over(rows, &request.overrides),
        None => Err(Raised::status(asked.value)),
    }
}
