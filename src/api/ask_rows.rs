//! `text2sql.ask_rows(question)`: typed rows, by the caller's column definition list.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point};
use crate::pg::error::Raised;
use crate::question;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.ask_rows(question text) RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_ask_rows';
"#,
    name = "ask_rows"
);
entry_point!(text2sql_ask_rows, pg_finfo_text2sql_ask_rows, ask_rows);

/// Answers a question with rows in the types that the caller names.
fn ask_rows(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let question = call.text(0);
    let asked = set.in_query_memory(|| question::ask("ask_rows", question.as_deref()))?;
    match asked.rows {
        Some(rows) => set.hand_over(rows),
        None => Err(Raised::status(asked.value)),
    }
}
