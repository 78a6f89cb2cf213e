//! The background worker that answers submitted questions: it logs in as the role that submitted them, takes one after
//! another, and ends when none is left. See `queue` for the rules.

use std::ffi::CStr;
use std::time::{Duration, Instant};

use pgrx::bgworkers::BackgroundWorker;
use pgrx::pg_sys;
use text2sql_domain::error::{Error, ErrorKind};

use super::locks::{take_place_for_life, take_question};
use super::session_settings::take_on;
use super::start::{Terms, one_more};
use super::store::{self, Claimed, Outcome};
use crate::pg::background::{Failure, in_transaction, set, wait};
use crate::pg::compat::signals;
use crate::pg::installed_version::require_same_version;
use crate::pg::models::slots;
use crate::pg::objects::search_path_setting;
use crate::pg::refresh::locks::is_database_wanted;
use crate::pg::session::user_name;
use crate::pg::settings;
use crate::pg::spi::advisory_locks::HeldBySession;
use crate::pg::spi::owner::owner_of;

/// How long a worker that nobody called for waits for another question.
const LINGER: Duration = Duration::from_secs(2);

/// How often it looks for one.
const STEP: Duration = Duration::from_millis(100);

/// Processes that may end while they answer a question, by a crash or by somebody's hand, before it fails.
const MAX_ATTEMPTS: i32 = 10;

/// How long a question waits again after a failure that passes, in seconds.
const LATER: f64 = 1.0;

/// Questions among which a worker looks for one that no other answers: there may be as many workers, and a few more.
const LOOKED_AT: i64 = 1_100;

/// Settings of the worker itself, whatever those of the role are: nobody waits for its statements, and it writes.
const SETTINGS: &[(&CStr, &CStr)] = &[
    (c"application_name", c"pg_text2sql questions"),
    (c"default_transaction_read_only", c"off"),
    (c"default_transaction_isolation", c"read committed"),
    (c"statement_timeout", c"0"),
    (c"idle_in_transaction_session_timeout", c"0"),
    (c"lock_timeout", c"5s"),
    // Unknown to PostgreSQL 15 and 16.
    (c"transaction_timeout", c"0"),
];

/// Answers a question as the current role.
pub(crate) type AnswerQuestion = fn(&Claimed) -> Result<Outcome, Error>;

/// Defines the main function of the worker, with `$answer` as what answers a question.
macro_rules! question_worker {
    ($answer:path) => {
        /// # Safety
        /// For PostgreSQL to call.
        #[pgrx::pg_guard]
        #[unsafe(no_mangle)]
        #[doc(hidden)]
        pub unsafe extern "C-unwind" fn text2sql_question_worker(database: pgrx::pg_sys::Datum) {
            $crate::pg::queue::worker::main(database, $answer);
        }
    };
}
pub(crate) use question_worker;

/// The life of a worker.
pub(crate) fn main(database: pg_sys::Datum, answer: AnswerQuestion) {
    signals::end_at_sigterm();
    let database = u32::try_from(database.value()).unwrap_or(0);
    let Some(terms) = Terms::read(BackgroundWorker::get_extra()) else {
        return;
    };
    BackgroundWorker::connect_worker_to_spi_by_oid(Some(database.into()), Some(terms.login));
    // SAFETY: the only thread, outside a transaction. A connection of SPI that may commit keeps its memory there.
    unsafe { pg_sys::PortalContext = pg_sys::TopMemoryContext };
    for (name, value) in SETTINGS {
        set(name, value);
    }
    if !in_transaction(|| Ok(take_place_for_life(terms.places))).unwrap_or(false) {
        return;
    }
    let mut last_answer = Instant::now();
    loop {
        match in_transaction(|| next(&terms)) {
            Ok(Next::Answer(claimed, held)) => {
                let goes_on = answer_claimed(&claimed, answer, &terms);
                drop(held);
                if !goes_on {
                    return;
                }
                last_answer = Instant::now();
                continue;
            }
            // A call starts another worker where questions wait for others.
            Ok(Next::Wait) if terms.caller != 0 || last_answer.elapsed() > LINGER => return,
            Ok(Next::End) => return,
            Err(failure) if !terms.go_on_after(&failure) => return,
            Ok(Next::Wait) | Err(_) => {}
        }
        match wait(STEP) {
            Ok(true) => {}
            Err(failure) if terms.go_on_after(&failure) => {}
            Ok(false) | Err(_) => return,
        }
    }
}

/// What a worker does next.
enum Next {
    /// Answer a question, whose lock it holds.
    Answer(Claimed, HeldBySession),
    /// Wait for a question.
    Wait,
    /// End.
    End,
}

impl Terms {
    /// Whether the worker goes on after it was interrupted. Who cancels the worker of a call wants an end of it.
    fn go_on_after(&self, failure: &Failure) -> bool {
        failure.is_in_the_way() && !(failure.is_cancel() && self.caller != 0)
    }

    /// Whether the database and the extension are still there for the worker, and the call that started it.
    fn still_hold(&self) -> bool {
        // SAFETY: the main thread; a backend that has ended has no entry.
        let is_called =
            self.caller == 0 || unsafe { !pg_sys::BackendPidGetProc(self.caller).is_null() };
        let is_on = self.caller != 0 || settings::queue_workers() > 0;
        let is_there = || owner_of(c"_submitted").is_some() && require_same_version().is_ok();
        is_called && is_on && is_there() && !is_database_wanted()
    }
}

/// What to do next, in a transaction.
fn next(terms: &Terms) -> Result<Next, Error> {
    if !terms.still_hold() {
        return Ok(Next::End);
    }
    Ok(match claim_next(terms)? {
        Some((claimed, held)) => Next::Answer(claimed, held),
        None => Next::Wait,
    })
}

/// Takes the next question that no other process answers.
fn claim_next(terms: &Terms) -> Result<Option<(Claimed, HeldBySession)>, Error> {
    let ids = store::claimable(terms.login, terms.scope, LOOKED_AT)?;
    for (number, &id) in ids.iter().enumerate() {
        let Some(held) = take_question(id) else {
            continue;
        };
        let Some(claimed) = store::claim(id)? else {
            continue;
        };
        if claimed.attempts > MAX_ATTEMPTS {
            let message = format!(
                "{MAX_ATTEMPTS} processes ended while they answered the question, by a crash of the server or by pg_terminate_backend"
            );
            store::finish(id, "", &Outcome::failed("58000", &message, None)?)?;
            continue;
        }
        if terms.caller == 0 && number + 1 < ids.len() {
            one_more(terms.login);
        }
        return Ok(Some((claimed, held)));
    }
    Ok(None)
}

/// Answers a question that this process has taken, and stores what came of it; whether the worker may go on.
fn answer_claimed(claimed: &Claimed, answer: AnswerQuestion, terms: &Terms) -> bool {
    slots::forget_refusal();
    let outcome = in_transaction(|| {
        take_on(&claimed.settings, claimed.asked_by)?;
        if !store::may_ask()? {
            return Err(Error::new(
                ErrorKind::Denied,
                format!("role \"{}\" may not ask questions any more", user_name()),
            )
            .with_hint("A superuser can grant it: SELECT text2sql.grant_usage('ROLE');"));
        }
        let search_path = search_path_setting();
        let outcome = answer(claimed)?;
        if slots::was_refused() {
            // Nothing was sent, and nothing is recorded.
            return Err(Error::new(
                ErrorKind::Limit,
                "too many questions are waiting",
            ));
        }
        store::finish(claimed.id, &search_path, &outcome)
    });
    let Err(failure) = outcome else {
        return true;
    };
    let after = without_interruption(|| {
        if failure.is_in_the_way() || slots::was_refused() {
            let seconds = if failure.is_cancel() { 0.0 } else { LATER };
            return store::give_back(claimed.id, seconds, false);
        }
        if passes(&failure) {
            return store::give_back(claimed.id, LATER, true);
        }
        let hint = failure.hint.as_deref();
        let outcome = Outcome::failed(&failure.sqlstate, &failure.message, hint)?;
        store::finish(claimed.id, "", &outcome)
    });
    // What could not even be given back is still marked as running, and is taken up again.
    after.is_ok() && !(failure.is_cancel() && terms.caller != 0)
}

/// Stores what must not be lost in a transaction: a cancel at that moment, meant for the question, begins it again.
fn without_interruption(work: impl Fn() -> Result<(), Error>) -> Result<(), Failure> {
    let mut outcome = in_transaction(&work);
    for _ in 1..MAX_ATTEMPTS {
        match &outcome {
            Err(failure) if failure.is_in_the_way() => outcome = in_transaction(&work),
            _ => break,
        }
    }
    outcome
}

/// Whether another attempt may succeed: a conflict with another transaction, or a resource that the server lacks.
fn passes(failure: &Failure) -> bool {
    failure.sqlstate.starts_with("40") || failure.sqlstate.starts_with("53")
}
