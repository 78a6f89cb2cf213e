//! `text2sql.submit(question, conversation, options)`, `cancel(id)`, `CALL text2sql.work()`,
//! `CALL text2sql.ask_batch(query, batch, options, max_concurrency)`, and the questions of such a query.

use pgrx::prelude::*;
use text2sql_domain::error::{Error, failure};

use crate::pg::Datum;
use crate::pg::access::output::record_set::RecordSet;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::pg::server::{settings, spi};
use crate::pg::stored::queue::crew;
use crate::pg::stored::queue::progress;
use crate::pg::stored::queue::store::{self, Whose};
use crate::question::submitted;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.submit(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}') RETURNS bigint
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_submit';
CREATE FUNCTION text2sql.cancel(id bigint) RETURNS boolean
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_cancel';
CREATE PROCEDURE text2sql.work(max_concurrency integer DEFAULT NULL)
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_work';
CREATE PROCEDURE text2sql.ask_batch(
    query text, batch text, options jsonb DEFAULT '{}', max_concurrency integer DEFAULT NULL)
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_ask_batch';
CREATE FUNCTION text2sql._questions(query text) RETURNS TABLE (key text, question text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_questions';
"#,
    name = "submit"
);
entry_point!(submit);
entry_point!(cancel);
entry_point!(work);
entry_point!(ask_batch);
entry_point!(questions);

/// Submits a question; returns its id.
fn submit(call: &Call) -> Result<Datum, Raised> {
    let (question, conversation) = (call.text(0)?, call.text(1)?);
    let id = submitted::submit(question.as_deref(), conversation.as_deref(), call.json(2)?)?;
    Ok(Datum::from(id))
}

/// Cancels a question that is not answered yet.
fn cancel(call: &Call) -> Result<Datum, Raised> {
    Ok(Datum::from(store::cancel(call.bigint(0))?))
}

/// Has the submitted questions answered that the caller may have answered.
fn work(call: &Call) -> Result<Datum, Raised> {
    require_own_transaction(call, "work")?;
    store::require_writable("no question can be answered by work()")?;
    let at_a_time = at_a_time(call.integer(0))?;
    spi::with_commits(|| crew::work(Whose::OfCaller, at_a_time, || Ok(())))?;
    Ok(Datum::from(0_usize))
}

/// Asks the questions of a batch that have no answer yet.
fn ask_batch(call: &Call) -> Result<Datum, Raised> {
    require_own_transaction(call, "ask_batch")?;
    let (query, batch, options) = (call.text(0)?, call.text(1)?, call.json(2)?);
    let at_a_time = at_a_time(call.integer(3))?;
    let (batch, scope) = submitted::submit_batch(query.as_deref(), batch.as_deref(), options)?;
    spi::with_commits(|| {
        spi::commit();
        let mut progress = progress::Progress::of(&batch);
        crew::work(Whose::Batch(scope), at_a_time, || progress.look())?;
        progress.sum_up()
    })?;
    Ok(Datum::from(0_usize))
}

/// The questions of a query.
fn questions(call: &Call) -> Result<Datum, Raised> {
    let set: RecordSet<'_> = call.record_set()?;
    let questions = submitted::questions(call.text(0)?.as_deref())?;
    set.hand_over_rows(
        questions
            .into_iter()
            .map(|keyed| [keyed.key.into_datum(), keyed.question.into_datum()]),
    )
}

fn require_own_transaction(call: &Call, procedure: &str) -> Result<(), Raised> {
    if !call.is_atomic() {
        return Ok(());
    }
    Err(Raised {
        hint: Some(format!(
            "Run CALL text2sql.{procedure}(…) outside of transaction blocks and functions."
        )),
        ..Raised::new(
            "25001",
            format!("{procedure}() cannot run inside a transaction block"),
        )
    })
}

/// How many questions are asked at a time: as many as may wait for a model, unless fewer are wanted.
fn at_a_time(wanted: Option<i32>) -> Result<u16, Error> {
    let most = settings::max_concurrency_per_role();
    let Some(wanted) = wanted else {
        return Ok(most);
    };
    match u16::try_from(wanted) {
        Ok(wanted @ 1..) => Ok(wanted.min(most)),
        _ => Err(failure!(Setting, "invalid max_concurrency: {wanted}")
            .with_hint("It is a number from 1; text2sql.max_concurrency is the most.")),
    }
}
