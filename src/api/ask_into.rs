//! `CALL text2sql.ask_into(question, target, conversation, options)`: the rows of an answer as a temporary
//! table or a cursor, without holding a snapshot during the model call.
//!
//! This requires a commit before the model call, which is possible where the CALL is a top-level statement or
//! is in a DO block or a procedure that was itself called as one. Elsewhere it holds the snapshot, as any other
//! function does, and raises a warning.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::access::output::target::Target;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::question::engines::names_endpoint;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE PROCEDURE text2sql.ask_into(
    question text, target text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_ask_into';
"#,
    name = "ask_into"
);
entry_point!(ask_into);

/// Answers a question with a table or a cursor.
fn ask_into(call: &Call) -> Result<Datum, Raised> {
    let request = Request::read(call, "ask_into", 2, &QUESTION)?;
    request.question()?;
    let target = Target::read(call.text(1)?.as_deref())?;
    let may_commit = !call.is_atomic();
    if may_commit {
        // The rows live in the connection's memory: the target is filled before the connection ends.
        let answered = spi::with_commits(|| Ok(answered(&request, &target, may_commit)))?;
        answered?;
    } else {
        if names_endpoint(&settings::models(&request.overrides)?) {
            pgrx::notice!(
                "ask_into cannot commit inside a transaction block or a function: a snapshot is held during the model call"
            );
        }
        answered(&request, &target, may_commit)?;
    }
    Ok(Datum::from(0_usize))
}

fn answered(request: &Request, target: &Target, may_commit: bool) -> Result<(), Raised> {
    let asked = question::ask(request, may_commit)?;
    match asked.rows {
        Some(rows) => Ok(target.fill(rows.checked(&request.overrides)?, may_commit)?),
        None => Err(Raised::status(asked.value)),
    }
}
