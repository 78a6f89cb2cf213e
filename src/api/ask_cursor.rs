//! `text2sql.ask_cursor(question, conversation, options)`: a cursor over the captured rows, for drivers
//! that fetch.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::access::output::cursor;
use crate::pg::server::entry::{Call, entry_point, text_result};
use crate::pg::server::error::Raised;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.ask_cursor(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS refcursor
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_ask_cursor';
"#,
    name = "ask_cursor"
);
entry_point!(
    text2sql_ask_cursor,
    pg_finfo_text2sql_ask_cursor,
    ask_cursor
);

/// Answers a question with the name of an open cursor; `FETCH` reads the rows.
fn ask_cursor(call: &Call) -> Result<Datum, Raised> {
    let request = Request::read(call, "ask_cursor", 1, &QUESTION)?;
    let asked = question::ask(&request, false)?;
    match asked.rows {
        Some(rows) => text_result(&cursor::open(rows.checked(&request.overrides)?)),
        None => Err(Raised::status(asked.value)),
    }
}
