//! Starts workers: at the commit of a question, by a worker that leaves others waiting, by the launcher, and by a call.

use std::cell::Cell;
use std::ffi::c_void;
use std::time::{Duration, Instant};

use pgrx::bgworkers::{BackgroundWorkerBuilder, DynamicBackgroundWorker};
use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::locks::is_place_free;
use super::store::{self, Whose};
use crate::pg::installed_version::require_same_version;
use crate::pg::settings;
use crate::pg::spi::owner::{can_write, has_no_block, owner_of};

/// Time between two workers that the commits of a session start. A worker waits longer than that for another question.
const BETWEEN: Duration = Duration::from_millis(500);

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
    /// How many workers there may be.
    pub(crate) places: u16,
    /// The process that called for it and waits for it; 0 where it was not called for.
    pub(crate) caller: i32,
    /// The number of the batch whose questions it answers; `None` for those of submit().
    pub(crate) scope: Option<i64>,
}

impl Terms {
    /// The arguments of a worker that no call waits for.
    fn uncalled(login: pg_sys::Oid) -> Self {
        Self {
            login,
            places: settings::queue_workers(),
            caller: 0,
            scope: None,
        }
    }

    fn write(self) -> String {
        let scope = self.scope.map(|scope| scope.to_string());
        format!(
            "{} {} {} {}",
            self.login.to_u32(),
            self.places,
            self.caller,
            scope.unwrap_or_else(|| "-".to_owned())
        )
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        Some(Self {
            login: words.next()?.parse::<u32>().ok()?.into(),
            places: words.next()?.parse().ok()?,
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
            // With no background worker left, the next question, the launcher or a call tries again.
            if !is_recent && start(Terms::uncalled(login), 0).is_some() {
                LAST_START.set(Some((Instant::now(), login)));
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
        start_for(login);
    }
}

/// Starts a worker of the role. With no background worker left, the next question, the launcher or a call tries again.
pub(super) fn start_for(login: pg_sys::Oid) {
    let _ = start(Terms::uncalled(login), 0);
}

/// Starts a worker for each role that has questions which nobody answers, as far as there are places: in a background
/// worker of the database, which runs from time to time. Questions that nobody can answer any more fail.
pub(crate) fn take_up() -> Result<(), Error> {
    let places = settings::queue_workers();
    if places == 0
        || !can_write()
        || require_same_version().is_err()
        || owner_of(c"_submitted").is_none()
        || has_no_block(c"_submitted")
    {
        return Ok(());
    }
    store::fail_unanswerable()?;
    let logins = store::logins_that_wait(Whose::Everybody)?;
    for (login, _) in logins.into_iter().take(usize::from(places)) {
        one_more(login);
    }
    Ok(())
}
