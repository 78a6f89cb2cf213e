//! `CALL text2sql.ask_into(question, target, options)`: the rows of an answer as a temporary table or a
//! cursor, without holding a snapshot while the model thinks.
//!
//! That takes a commit before the wait, which is possible where the CALL stands by itself, in a DO block or
//! in a procedure that is called like this. Elsewhere it waits as any other function, and says so.

use pgrx::prelude::*;
use text2sql_core::config::ModelConfig;
use text2sql_core::question::Question;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point};
use crate::pg::error::Raised;
use crate::pg::output::target::Target;
use crate::pg::settings::{self, Overrides};
use crate::pg::{models, spi};
use crate::question;

extension_sql!(
    r#"
CREATE PROCEDURE text2sql.ask_into(question text, target text, options jsonb DEFAULT '{}')
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_ask_into';
"#,
    name = "ask_into"
);
entry_point!(text2sql_ask_into, pg_finfo_text2sql_ask_into, ask_into);

/// Answers a question with a table or a cursor.
fn ask_into(call: &Call) -> Result<Datum, Raised> {
    let overrides = question::options::overrides(call.json(2)?)?;
    let question = Question::required(call.text(0).as_deref())?;
    let target = Target::read(call.text(1).as_deref())?;
    let may_commit = !call.is_atomic();
    if may_commit {
        // The rows live in the connection's memory: the target is filled before it ends.
        let answered =
            spi::with_commits(|| Ok(answered(&question, &target, &overrides, may_commit)))?;
        answered?;
    } else {
        let model = models::model_without_key(&settings::model(&overrides))?;
        if matches!(model, ModelConfig::Endpoint(_)) {
            pgrx::notice!(
                "ask_into cannot commit inside a transaction block or a function: a snapshot is held while the model thinks"
            );
        }
        answered(&question, &target, &overrides, may_commit)?;
    }
    Ok(Datum::from(0_usize))
}

fn answered(
    question: &Question,
    target: &Target,
    overrides: &Overrides,
    may_commit: bool,
) -> Result<(), Raised> {
    let asked = question::ask_into(question, overrides, may_commit)?;
    match asked.rows {
        Some(rows) => Ok(target.fill(rows.checked(overrides)?, may_commit)?),
        None => Err(Raised::status(asked.value)),
    }
}
