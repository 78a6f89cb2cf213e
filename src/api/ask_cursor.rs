//! `text2sql.ask_cursor(question)`: a cursor over the captured rows, for drivers that fetch.

use pgrx::prelude::*;

use crate::pg::cursor;
use crate::pg::error::{Raise, raise_status};
use crate::question;
use crate::settings::Overrides;

/// Answers a question with the name of an open cursor; `FETCH` reads the rows.
#[pg_extern(volatile, parallel_unsafe, sql = "
CREATE FUNCTION text2sql.ask_cursor(question text) RETURNS refcursor
VOLATILE PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
")]
fn ask_cursor(question: Option<&str>) -> String {
    let asked = question::ask(question, &Overrides::default(), true).or_raise();
    match asked.tuples {
        Some(tuples) => cursor::open(tuples),
        None => raise_status(&asked.answer),
    }
}
