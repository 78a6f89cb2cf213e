//! Starts workers: at the commit of a question, by a worker that leaves others waiting, by the launcher, and by a call.

use std::cell::Cell;
use std::ffi::c_void;
use std::time::{Duration, Instant};

use pgrx::bgworkers::{BackgroundWorkerBuilder, BackgroundWorkerStatus, DynamicBackgroundWorker};
use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::locks::{holds_place, is_place_free};
use super::store::{self, Whose};
use crate::pg::server::background::wait_for_worker;
use crate::pg::server::installed_version::require_same_version;
use crate::pg::server::settings;
use crate::pg::server::spi::owner::{can_write, has_no_block, owner_of};

/// Time between two workers that the commits of a session start. A worker waits longer than that for another question.
const BETWEEN: Duration = Duration::from_millis(500);

/// How long a process that leaves its place to others waits for one of them to take it.
const HAND_OVER: Duration = Duration::from_secs(2);

/// How often it looks; the start and the end of a worker wake it earlier.
const LOOK_MS: std::ffi::c_long = 20;

thread_local! {
    static LAST_START: Cell<Option<(Instant, pg_sys::Oid)>> = const { Cell::new(None) };
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
    static WANTED_AT_COMMIT: Cell<Option<pg_sys::Oid>> = const { Cell::new(None) };
}

/// What a worker needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms {
    /// The role that it logs in as.
    pub(crate) login: pg_sys::Oid,
    /// Whether others have left the place to it.
    pub(crate) is_its_turn: bool,
    /// The process that called for it and waits for it; 0 where it was not called for.
    pub(crate) caller: i32,
    /// The number of the batch whose questions it answers; `None` for those of submit().
    pub(crate) scope: Option<i64>,
}

impl Terms {
    /// The arguments of a worker that no call waits for.
    fn uncalled(login: pg_sys::Oid, is_its_turn: bool) -> Self {
        Self {
            login,
            is_its_turn,
            caller: 0,
            scope: None,
        }
    }

    fn write(self) -> String {
        let scope = self.scope.map(|scope| scope.to_string());
        format!(
            "{} {} {} {}",
            self.login.to_u32(),
            self.is_its_turn,
            self.caller,
            scope.unwrap_or_else(|| "-".to_owned())
        )
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        Some(Self {
            login: words.next()?.parse::<u32>().ok()?.into(),
            is_its_turn: words.next()?.parse().ok()?,
            caller: words.next()?.parse().ok()?,
            scope: words.next()?.parse().ok(),
        })
    }
}

/// Starts a worker of this database; `notify` is the process to be notified of its end, or 0. `None` where all
/// background workers of the server are in use.
pub(super) fn start(terms: Terms, notify: i32) -> Option<DynamicBackgroundWorker> {
    // SAFETY: set at backend start, read only.
    let database = unsafe { pg_sys::MyDatabaseId };
    BackgroundWorkerBuilder::new("pg_text2sql questions")
        .set_type("pg_text2sql questions")
        .set_library("$libdir/pg_text2sql")
        .set_function("text2sql_question_worker")
        .set_argument(pgrx::IntoDatum::into_datum(database))
        .set_extra(&terms.write())
        .enable_spi_access()
        .set_notify_pid(notify)
        .load_dynamic()
        .ok()
}

/// Starts a worker when this transaction commits.
pub(crate) fn at_commit() {
    // SAFETY: all read variables of the process.
    let is_session = unsafe {
        pg_sys::IsUnderPostmaster && !pg_sys::IsBinaryUpgrade && pg_sys::MyBgworkerEntry.is_null()
    };
    if !is_session || settings::queue_workers() == 0 {
        return;
    }
    if !IS_REGISTERED.replace(true) {
        // SAFETY: the function lives as long as the library, which is never unloaded.
        unsafe { pg_sys::RegisterXactCallback(Some(at_end), std::ptr::null_mut()) };
    }
    // SAFETY: reads a variable.
    WANTED_AT_COMMIT.set(Some(unsafe { pg_sys::GetSessionUserId() }));
}

/// # Safety
///
/// Called by PostgreSQL only, on the main thread. Raises no error: after a commit that would be a PANIC.
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut c_void) {
    if event == pg_sys::XactEvent::XACT_EVENT_COMMIT {
        if let Some(login) = WANTED_AT_COMMIT.take() {
            let is_recent = LAST_START
                .get()
                .is_some_and(|(last, whose)| whose == login && last.elapsed() < BETWEEN);
            if is_recent {
            } else if start(Terms::uncalled(login, false), 0).is_some() {
                LAST_START.set(Some((Instant::now(), login)));
            } else {
                // All processes are in use: the session's next commit tries again, as the launcher and a call do.
                WANTED_AT_COMMIT.set(Some(login));
            }
        }
    } else if matches!(
        event,
        pg_sys::XactEvent::XACT_EVENT_ABORT | pg_sys::XactEvent::XACT_EVENT_PREPARE
    ) {
        WANTED_AT_COMMIT.set(None);
    }
}

/// Starts one more worker of the role where a place is free.
pub(super) fn one_more(login: pg_sys::Oid) {
    if is_place_free(settings::queue_workers()) {
        // With no process left, whoever answers now goes on.
        let _ = start(Terms::uncalled(login, false), 0);
    }
}

/// Starts a worker for the login in turn, and for the next one where it takes no place: a role that the server lets no
/// process log in as (its limit of connections, say) must not be in the way of the others.
pub(super) fn hand_on(
    in_turn: impl Fn() -> Result<Option<pg_sys::Oid>, Error>,
) -> Result<(), Error> {
    let begin = Instant::now();
    // SAFETY: set at process start, read only.
    let own = unsafe { pg_sys::MyProcPid };
    while begin.elapsed() < HAND_OVER && is_place_free(settings::queue_workers()) {
        let Some(login) = in_turn()? else { break };
        let Some(worker) = start(Terms::uncalled(login, true), own) else {
            break;
        };
        let started = Instant::now();
        if takes_place(&worker, begin + HAND_OVER)? {
            break;
        }
        store::put_off(login, started.elapsed())?;
    }
    Ok(())
}

/// Waits until the worker has a place, at most until then; `false` where it ends without one.
fn takes_place(worker: &DynamicBackgroundWorker, until: Instant) -> Result<bool, Error> {
    while Instant::now() < until {
        match worker.pid() {
            Ok(process) if holds_place(process)? => return Ok(true),
            Ok(_) | Err(BackgroundWorkerStatus::NotYetStarted) => wait_for_worker(LOOK_MS),
            Err(_) => return Ok(false),
        }
    }
    Ok(true)
}

/// Starts a worker where a place is free and a role waits, in a background worker of the database, which runs from time to
/// time. Questions that nobody can answer any more fail.
pub(crate) fn take_up() -> Result<(), Error> {
    if settings::queue_workers() == 0
        || !can_write()
        || require_same_version().is_err()
        || owner_of(c"_submitted").is_none()
        || has_no_block(c"_submitted")
    {
        return Ok(());
    }
    store::fail_unanswerable()?;
    let begin = Instant::now();
    for (login, _) in store::logins_that_wait(Whose::Everybody)? {
        let has_begun = Cell::new(false);
        hand_on(|| Ok((!has_begun.replace(true)).then_some(login)))?;
        if begin.elapsed() > HAND_OVER {
            break;
        }
    }
    Ok(())
}
