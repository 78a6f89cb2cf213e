//! The rows of submitted questions and their answers: written as the owner of the tables, so that no role can submit a
//! question in the name of another.

use std::time::Duration;

use pgrx::pg_sys;
use serde_json::json;
use text2sql_domain::error::{Error, failure};

use super::locks::worker_of;
use crate::pg::server::compat::roles::SET_ROLE;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{Purpose, take_turns};
use crate::pg::server::spi::json_text::json_text;
use crate::pg::server::spi::owner::{as_owner_of, can_write};

const SUBMIT_QUESTION: &str = include_str!("../../../../sql/queries/submit_question.sql");
const SUBMIT_BATCH: &str = include_str!("../../../../sql/queries/submit_batch.sql");
const CLAIMABLE: &str = include_str!("../../../../sql/queries/claimable_questions.sql");
const FINISH: &str = include_str!("../../../../sql/queries/finish_question.sql");
const CANCEL: &str = include_str!("../../../../sql/queries/cancel_question.sql");
const FAIL_UNANSWERABLE: &str =
    include_str!("../../../../sql/queries/fail_unanswerable_questions.sql");
const ROLE_IN_TURN: &str = include_str!("../../../../sql/queries/role_in_turn.sql");
const ROLES_THAT_WAIT: &str = include_str!("../../../../sql/queries/roles_that_wait.sql");

/// What is asked again when a batch is called again: what failed, and what has another question under its key.
const FORGET_FAILED: &str =
    "DELETE FROM text2sql._submitted q USING unnest($3, $4) AS g(key, question)
     WHERE q.asked_by = $1 AND q.batch = $2 AND q.key = g.key
       AND (q.state IN ('failed', 'cancelled') OR q.question IS DISTINCT FROM g.question)";
/// Maximum number of questions of a role that wait: what waits is stored, and others wait for it.
const MAX_WAITING: i64 = 1_000;
const COUNT_WAITING: &str = "SELECT count(*) FROM (SELECT FROM text2sql._submitted q
     WHERE q.asked_by = $1 AND q.batch IS NULL AND q.state = 'waiting' LIMIT $2) AS waiting";
const SCOPE: &str = "SELECT hashtextextended($1, $2::bigint)";
// A row that a session is about to cancel is left to it.
const CLAIM: &str =
    "UPDATE text2sql._submitted q SET state = 'running', started_at = clock_timestamp(), attempts = q.attempts + 1
     WHERE q.id = (SELECT c.id FROM text2sql._submitted c WHERE c.id = $1 AND c.state IN ('waiting', 'running') FOR UPDATE SKIP LOCKED)
     RETURNING q.question, q.conversation, q.options::text, q.asked_by, q.attempts,
         (SELECT s.settings::text FROM text2sql._submitted_settings s WHERE s.id = q.id)";
const GIVE_BACK: &str = "UPDATE text2sql._submitted q
     SET state = 'waiting', not_before = clock_timestamp() + $2 * interval '1 second', attempts = q.attempts - $3
     WHERE q.id = $1 AND q.state = 'running'";
// Not a role that was served meanwhile: its worker has ended again.
const PUT_OFF: &str = "UPDATE text2sql._submitted q SET not_before = clock_timestamp() + interval '10 s'
     WHERE q.id IN (SELECT w.id FROM text2sql._submitted w
         WHERE w.session_role = $1 AND w.state IN ('waiting', 'running') AND w.batch IS NULL FOR UPDATE SKIP LOCKED)
       AND NOT EXISTS (SELECT FROM text2sql._submitted s WHERE s.session_role = $1
           AND s.started_at > clock_timestamp() - $2 * interval '1 second')";
const DROP: &str =
    "DELETE FROM text2sql._submitted q WHERE q.id = $1 AND (q.asked_by = $2 OR $3) RETURNING q.id";
const MAY_CURATE: &str =
    "SELECT has_function_privilege('text2sql.drop_history(interval)', 'EXECUTE')";
const MAY_ASK: &str = "SELECT has_schema_privilege('text2sql', 'USAGE')
     AND has_function_privilege('text2sql.ask(text, text, jsonb)', 'EXECUTE')";
const MAY_BECOME: &str = "SELECT pg_has_role($1, $2, $3)";
const COUNTS: &str = "SELECT count(*), count(*) FILTER (WHERE q.state = 'done'), count(*) FILTER (WHERE q.state = 'failed'),
         count(*) FILTER (WHERE q.state IN ('waiting', 'running'))
     FROM text2sql._submitted q WHERE q.asked_by = $1 AND q.batch = $2";

const LIST: &str =
    "List the questions: SELECT id, state, question FROM text2sql.answers ORDER BY id;";

/// The role that asks, and the role that logged in.
pub(crate) fn caller_and_login() -> (pg_sys::Oid, pg_sys::Oid) {
    // SAFETY: both read a variable.
    unsafe { (pg_sys::GetUserId(), pg_sys::GetSessionUserId()) }
}

/// An error where nothing can be written, and where the role that asks is one that the login cannot become: the
/// question would be answered in a session of the login.
pub(crate) fn require_submittable() -> Result<(), Error> {
    require_writable("no question can be submitted")?;
    let (caller, login) = caller_and_login();
    let arguments = [login.into(), caller.into(), SET_ROLE.into()];
    match spi::read_one::<bool>(MAY_BECOME, &arguments)? {
        Some(true) => Ok(()),
        _ => Err(failure!(
            Denied,
            "no question can be submitted by a role that the session could not SET ROLE to"
        )
        .with_hint("Call the function outside of functions that are SECURITY DEFINER.")),
    }
}

/// An error where nothing can be written.
pub(crate) fn require_writable(refused: &str) -> Result<(), Error> {
    if can_write() {
        return Ok(());
    }
    Err(failure!(
        ReadOnly,
        "{refused} on a standby or in a read-only transaction"
    )
    .with_hint("Call the function on the primary server, outside a read-only transaction."))
}

/// Stores a question of the caller that waits; returns its id.
pub(crate) fn submit(
    question: &str,
    conversation: Option<&str>,
    options: &str,
    settings: String,
) -> Result<i64, Error> {
    let (caller, login) = caller_and_login();
    let ids = as_owner_of(c"_submitted", || {
        let waiting = spi::read_one::<i64>(COUNT_WAITING, &[caller.into(), MAX_WAITING.into()])?;
        if waiting >= Some(MAX_WAITING) {
            return Err(failure!(Limit, "{MAX_WAITING} questions of this role are waiting")
            .with_hint("Wait until some are answered, or cancel them: SELECT text2sql.cancel(id) FROM text2sql.answers WHERE state = 'waiting';"));
        }
        let arguments = [
            caller.into(),
            login.into(),
            question.into(),
            conversation.into(),
            spi::json(options.to_owned()),
            spi::json(settings),
        ];
        spi::write(SUBMIT_QUESTION, &arguments, |row| row.read::<i64>(1))
    })?;
    let id = ids.into_iter().flatten().next();
    id.ok_or_else(|| failure!(Internal, "the question was not stored"))
}

/// A question of a batch, with its key.
pub(crate) struct Keyed {
    pub(crate) key: String,
    pub(crate) question: Option<String>,
}

/// Stores the questions of a batch of the caller that have no answer in it; returns the number by which workers find the
/// batch.
pub(crate) fn submit_batch(
    batch: &str,
    options: &str,
    settings: String,
    questions: &[Keyed],
) -> Result<i64, Error> {
    let scope = scope_of(batch)?;
    take_turns(Purpose::Batch(scope));
    let (caller, login) = caller_and_login();
    let keys: Vec<String> = questions.iter().map(|keyed| keyed.key.clone()).collect();
    let texts: Vec<Option<String>> = questions
        .iter()
        .map(|keyed| keyed.question.clone())
        .collect();
    as_owner_of(c"_submitted", || {
        let arguments = [
            caller.into(),
            batch.into(),
            keys.clone().into(),
            texts.clone().into(),
        ];
        spi::write(FORGET_FAILED, &arguments, |_| Ok(()))?;
        let arguments = [
            caller.into(),
            login.into(),
            batch.into(),
            spi::json(options.to_owned()),
            spi::json(settings),
            keys.into(),
            texts.into(),
        ];
        spi::write(SUBMIT_BATCH, &arguments, |_| Ok(())).map(drop)
    })?;
    Ok(scope)
}

fn scope_of(batch: &str) -> Result<i64, Error> {
    let (caller, _) = caller_and_login();
    let scope = spi::read_one::<i64>(SCOPE, &[batch.into(), caller.into()])?;
    scope.ok_or_else(|| failure!(Internal, "a batch has no number"))
}

/// How many questions a batch of the caller has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) total: i64,
    pub(crate) done: i64,
    pub(crate) failed: i64,
    /// Number of questions without an answer yet.
    pub(crate) left: i64,
}

/// How many questions a batch of the caller has.
pub(crate) fn counts(batch: &str) -> Result<Counts, Error> {
    let (caller, _) = caller_and_login();
    let rows = as_owner_of(c"_submitted", || {
        spi::read_rows(COUNTS, &[caller.into(), batch.into()], 1, |row| {
            Ok(Counts {
                total: row.read(1)?.unwrap_or_default(),
                done: row.read(2)?.unwrap_or_default(),
                failed: row.read(3)?.unwrap_or_default(),
                left: row.read(4)?.unwrap_or_default(),
            })
        })
    })?;
    Ok(rows.into_iter().next().unwrap_or_default())
}

/// A question that this process answers.
#[derive(Debug)]
pub(crate) struct Claimed {
    pub(crate) id: i64,
    pub(crate) question: Option<String>,
    pub(crate) conversation: Option<String>,
    pub(crate) options: String,
    pub(crate) asked_by: pg_sys::Oid,
    /// How often a process has begun to answer it, with this one.
    pub(crate) attempts: i32,
    pub(crate) settings: String,
}

/// Questions that a worker of the role may take.
pub(super) fn claimable(
    login: pg_sys::Oid,
    scope: Option<i64>,
    limit: i64,
) -> Result<Vec<i64>, Error> {
    as_owner_of(c"_submitted", || {
        let arguments = [login.into(), scope.into(), limit.into()];
        let ids = spi::read_rows(CLAIMABLE, &arguments, 0, |row| row.read::<i64>(1))?;
        Ok(ids.into_iter().flatten().collect())
    })
}

/// Marks a question as running, for the process that holds its lock.
pub(super) fn claim(id: i64) -> Result<Option<Claimed>, Error> {
    let rows = as_owner_of(c"_submitted", || {
        spi::write(CLAIM, &[id.into()], |row| {
            Ok(Claimed {
                id,
                question: row.read(1)?,
                conversation: row.read(2)?,
                options: row.read(3)?.unwrap_or_default(),
                asked_by: row.read(4)?.unwrap_or(pg_sys::InvalidOid),
                attempts: row.read(5)?.unwrap_or_default(),
                settings: row.read(6)?.unwrap_or_else(|| "{}".to_owned()),
            })
        })
    })?;
    Ok(rows.into_iter().next())
}

/// Lets a question wait again, for that many seconds at least. `counts`: whether this attempt counts.
pub(super) fn give_back(id: i64, seconds: f64, counts: bool) -> Result<(), Error> {
    as_owner_of(c"_submitted", || {
        let arguments = [id.into(), seconds.into(), i32::from(!counts).into()];
        spi::write(GIVE_BACK, &arguments, |_| Ok(())).map(drop)
    })
}

/// Lets the questions of submit() of a login wait for a while whose worker, begun that long ago, has ended without a place.
pub(super) fn put_off(login: pg_sys::Oid, since: Duration) -> Result<(), Error> {
    as_owner_of(c"_submitted", || {
        let arguments = [login.into(), since.as_secs_f64().into()];
        spi::write(PUT_OFF, &arguments, |_| Ok(())).map(drop)
    })
}

/// The outcome of a question.
pub(crate) struct Outcome {
    /// Whether it has an answer; else it failed.
    pub(crate) is_done: bool,
    /// The JSON document of `sql/queries/finish_question.sql`.
    pub(crate) document: String,
}

impl Outcome {
    /// The outcome of a question that could not be answered.
    pub(super) fn failed(sqlstate: &str, message: &str, hint: Option<&str>) -> Result<Self, Error> {
        let warnings: Vec<&str> = hint.into_iter().collect();
        let document = json_text(&json!({
            "status": "failed",
            "sqlstate": sqlstate,
            "answer": message,
            "warnings": warnings,
            "withheld": [],
            "queries": [],
            "relations": [],
        }))?;
        Ok(Self {
            is_done: false,
            document,
        })
    }
}

/// Stores the outcome, unless the question was cancelled or deleted meanwhile.
pub(super) fn finish(id: i64, search_path: &str, outcome: &Outcome) -> Result<(), Error> {
    let state = if outcome.is_done { "done" } else { "failed" };
    as_owner_of(c"_submitted", || {
        let arguments = [
            id.into(),
            state.into(),
            search_path.into(),
            outcome.document.as_str().into(),
        ];
        spi::write(FINISH, &arguments, |_| Ok(())).map(drop)
    })
}

/// Whether the caller may ask a question at all.
pub(super) fn may_ask() -> Result<bool, Error> {
    Ok(spi::read_one::<bool>(MAY_ASK, &[])? == Some(true))
}

/// Cancels a question; whether it was waiting or running.
pub(crate) fn cancel(id: Option<i64>) -> Result<bool, Error> {
    let id = required(id)?;
    require_writable("no question can be cancelled")?;
    let (caller, _) = caller_and_login();
    let may_curate = spi::read_one::<bool>(MAY_CURATE, &[])? == Some(true);
    as_owner_of(c"_submitted", || {
        let worker = worker_of(id)?;
        let arguments = [id.into(), caller.into(), may_curate.into()];
        let cancelled = spi::write(CANCEL, &arguments, |_| Ok(()))?;
        let is_cancelled = !cancelled.is_empty();
        if is_cancelled {
            interrupt(worker);
        }
        Ok(is_cancelled)
    })
}

/// Deletes a question with its answer.
pub(crate) fn delete(id: Option<i64>) -> Result<(), Error> {
    let id = required(id)?;
    require_writable("no answer can be deleted")?;
    let (caller, _) = caller_and_login();
    let may_curate = spi::read_one::<bool>(MAY_CURATE, &[])? == Some(true);
    let deleted = as_owner_of(c"_submitted", || {
        let worker = worker_of(id)?;
        let arguments = [id.into(), caller.into(), may_curate.into()];
        let deleted = spi::write(DROP, &arguments, |_| Ok(()))?;
        if !deleted.is_empty() {
            interrupt(worker);
        }
        Ok(deleted)
    })?;
    match deleted.is_empty() {
        false => Ok(()),
        true => Err(failure!(
            Undefined,
            "no question with id {id} was submitted by this role"
        )
        .with_hint(LIST)),
    }
}

/// Interrupts a worker. It gives back what it answers unless that is cancelled, so that nothing is lost where it has
/// gone on to another question meanwhile.
fn interrupt(worker: Option<i32>) {
    if let Some(worker) = worker {
        interrupt_process(worker);
    }
}

/// Sends a process of the server what `pg_cancel_backend` sends.
pub(super) fn interrupt_process(process: i32) {
    // SAFETY: the number of a process that held a lock of a worker, or was started as one, a moment ago. A backend that
    // ended meanwhile has no entry.
    unsafe {
        if !pg_sys::BackendPidGetProc(process).is_null() {
            libc::kill(process, libc::SIGINT);
        }
    }
}

/// Lets the questions fail whose roles are gone, or may not log in.
pub(super) fn fail_unanswerable() -> Result<(), Error> {
    as_owner_of(c"_submitted", || {
        spi::write(FAIL_UNANSWERABLE, &[], |_| Ok(())).map(drop)
    })
}

/// Selects questions by their source.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Whose {
    /// Questions of submit() of every role.
    Everybody,
    /// Questions of submit() of the roles that the caller may become.
    OfCaller,
    /// Questions of one batch of the caller.
    Batch(i64),
}

impl Whose {
    /// The number of the batch.
    pub(super) fn scope(self) -> Option<i64> {
        match self {
            Self::Everybody | Self::OfCaller => None,
            Self::Batch(scope) => Some(scope),
        }
    }
}

/// Another login than this one that has a question which waits: one that was served longer ago, or with `any` the one
/// that was served longest ago.
pub(super) fn login_in_turn(after: pg_sys::Oid, any: bool) -> Result<Option<pg_sys::Oid>, Error> {
    as_owner_of(c"_submitted", || {
        spi::read_one::<pg_sys::Oid>(ROLE_IN_TURN, &[after.into(), any.into()])
    })
}

/// The logins whose questions are not answered, with their number.
pub(super) fn logins_that_wait(whose: Whose) -> Result<Vec<(pg_sys::Oid, i64)>, Error> {
    let (caller, login) = caller_and_login();
    let caller = match whose {
        Whose::OfCaller => Some(caller),
        Whose::Everybody | Whose::Batch(_) => None,
    };
    as_owner_of(c"_submitted", || {
        let arguments = [
            caller.into(),
            SET_ROLE.into(),
            whose.scope().into(),
            login.into(),
        ];
        spi::read_rows(ROLES_THAT_WAIT, &arguments, 0, |row| {
            Ok((
                row.read(1)?.unwrap_or(pg_sys::InvalidOid),
                row.read(2)?.unwrap_or_default(),
            ))
        })
    })
}

fn required(id: Option<i64>) -> Result<i64, Error> {
    id.ok_or_else(|| failure!(Missing, "id must not be null").with_hint(LIST))
}
