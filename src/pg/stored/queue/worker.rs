//! The background worker that answers submitted questions: it logs in as the role that submitted them, takes one after
//! another, and ends when none is left. See `queue` for the rules.

use std::ffi::CStr;
use std::time::{Duration, Instant};

use pgrx::bgworkers::BackgroundWorker;
use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use super::locks::{is_place_free, is_process_wanted, take_hand_over, take_place, take_question};
use super::session_settings::take_on;
use super::start::{Terms, hand_on, one_more};
use super::store::{self, Claimed, Outcome};
use crate::pg::access::objects::search_path_setting;
use crate::pg::server::background::is_database_wanted;
use crate::pg::server::background::{Failure, in_transaction, set, wait};
use crate::pg::server::compat::signals;
use crate::pg::server::installed_version::require_same_version;
use crate::pg::server::session::user_name;
use crate::pg::server::settings;
use crate::pg::server::spi::advisory_locks::HeldBySession;
use crate::pg::server::spi::owner::owner_of;
use crate::pg::stored::models::slots;

/// How long a worker that nobody called for waits for another question.
const LINGER: Duration = Duration::from_secs(2);

/// How long a worker that failed waits before others have its place: they may fail in the same way.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

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
            $crate::pg::stored::queue::worker::main(database, $answer);
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
    // Those of a call are as many as the call starts, and take no place of the queue.
    if terms.caller != 0 {
        work(&terms, answer);
        return;
    }
    let mut is_its_turn = terms.is_its_turn;
    while let Ok(Some(place)) = without_interruption(|| place_in_turn(&terms, is_its_turn)) {
        is_its_turn = false;
        let ending = work(&terms, answer);
        // The next worker needs the place before this process has ended.
        drop(place);
        if matches!(ending, Ending::GaveWay) {
            continue;
        }
        if matches!(ending, Ending::Failed) && !wait(AFTER_FAILURE).unwrap_or(false) {
            return;
        }
        // Its own role too: a question may have come at the last moment.
        let next = || whose_turn(&terms, pg_sys::InvalidOid, true);
        let _ = without_interruption(|| hand_on(next));
        return;
    }
}

/// Why a worker does not go on.
enum Ending {
    /// Nothing is left to do, or it was interrupted.
    Over,
    /// It is the turn of another role.
    GaveWay,
    /// Something is wrong with the server.
    Failed,
}

/// One of the places, after others had their turn.
fn place_in_turn(terms: &Terms, is_its_turn: bool) -> Result<Option<HeldBySession>, Error> {
    let places = settings::queue_workers();
    let next = || whose_turn(terms, terms.login, false);
    if !is_its_turn && is_place_free(places) && next()?.is_some() {
        let Some(_hand_over) = take_hand_over() else {
            return Ok(None);
        };
        hand_on(next)?;
    }
    Ok(take_place(places))
}

/// The login other than this one whose turn it is; with `any`, whoever waits.
fn whose_turn(terms: &Terms, login: pg_sys::Oid, any: bool) -> Result<Option<pg_sys::Oid>, Error> {
    match terms.still_hold() && settings::queue_workers() > 0 {
        true => store::login_in_turn(login, any),
        false => Ok(None),
    }
}

/// Whether another role waits and has no place: after each question the place is for whoever waited longest, and a worker
/// without a question keeps none. The worker of a call gives way to others that have no process.
fn gives_way(terms: &Terms, is_idle: bool) -> Result<bool, Error> {
    let is_of_call = terms.caller != 0;
    if is_of_call && is_process_wanted() {
        return Ok(true);
    }
    let is_in_the_way = is_of_call == is_place_free(settings::queue_workers());
    Ok(is_in_the_way && whose_turn(terms, terms.login, is_idle || is_of_call)?.is_some())
}

/// Answers questions until none is left, or another role has to have its turn.
fn work(terms: &Terms, answer: AnswerQuestion) -> Ending {
    let mut last_answer = Instant::now();
    loop {
        match in_transaction(|| next(terms)) {
            Ok(Next::Answer(claimed, held)) => {
                let goes_on = answer_claimed(&claimed, answer, terms);
                drop(held);
                if !goes_on {
                    return Ending::Failed;
                }
                if in_transaction(|| gives_way(terms, false)).unwrap_or(false) {
                    return Ending::GaveWay;
                }
                last_answer = Instant::now();
                continue;
            }
            // A call starts another worker where questions wait for others.
            Ok(Next::Wait) if terms.caller != 0 || last_answer.elapsed() > LINGER => {
                return Ending::Over;
            }
            Ok(Next::End) => return Ending::Over,
            Err(failure) if !terms.go_on_after(&failure) => return Ending::Failed,
            Ok(Next::Wait) if in_transaction(|| gives_way(terms, true)).unwrap_or(false) => {
                return Ending::Over;
            }
            Ok(Next::Wait) | Err(_) => {}
        }
        match wait(STEP) {
            Ok(true) => {}
            Err(failure) if terms.go_on_after(&failure) => {}
            Ok(false) | Err(_) => return Ending::Over,
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
        // A free place may be one that was left to another role.
        if terms.caller == 0
            && number + 1 < ids.len()
            && whose_turn(terms, terms.login, true)?.is_none()
        {
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
            return Err(failure!(
                Denied,
                "role \"{}\" may not ask questions any more",
                user_name()
            )
            .with_hint("A superuser can grant it: SELECT text2sql.grant_access('ROLE');"));
        }
        let search_path = search_path_setting();
        let outcome = answer(claimed)?;
        if slots::was_refused() {
            // Nothing was sent, and nothing is recorded.
            return Err(failure!(Limit, "too many questions are waiting"));
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
fn without_interruption<T>(work: impl Fn() -> Result<T, Error>) -> Result<T, Failure> {
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
