//! Starts the background worker of this database from a session.

use std::cell::Cell;
use std::ffi::c_void;
use std::time::{Duration, Instant};

use pgrx::bgworkers::{BackgroundWorkerBuilder, DynamicBackgroundWorker};
use pgrx::{IntoDatum, pg_sys};
use text2sql_domain::error::Error;

use super::schedule;
use crate::pg::server::settings;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

/// Time between two looks of one session whether something is due, so that a question costs nothing more; and between
/// two workers that its commits start: a worker that found changes looks again after as long.
const BETWEEN: Duration = Duration::from_secs(1);

thread_local! {
    static LAST_LOOK: Cell<Option<Instant>> = const { Cell::new(None) };
    static LAST_START: Cell<Option<Instant>> = const { Cell::new(None) };
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
    static IS_WANTED_AT_COMMIT: Cell<bool> = const { Cell::new(false) };
}

/// A question met the index: starts a worker if one is due. Never waits, and needs no right to write.
pub(crate) fn if_due(owner: &EffectiveRole, has_changes: bool) -> Result<(), Error> {
    if !can_start() || LAST_LOOK.get().is_some_and(|last| last.elapsed() < BETWEEN) {
        return Ok(());
    }
    LAST_LOOK.set(Some(Instant::now()));
    let due = with_role(owner, schedule::due)?;
    if due.look || has_changes && due.changes {
        start();
    }
    Ok(())
}

/// Starts a worker when this transaction commits.
pub(crate) fn at_commit() {
    if !can_start() {
        return;
    }
    if !IS_REGISTERED.replace(true) {
        // SAFETY: the function lives as long as the library, which is never unloaded.
        unsafe { pg_sys::RegisterXactCallback(Some(at_end), std::ptr::null_mut()) };
    }
    IS_WANTED_AT_COMMIT.set(true);
}

/// # Safety
///
/// Called by PostgreSQL only, on the main thread. Raises no error: after a commit that would be a PANIC.
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut c_void) {
    if event == pg_sys::XactEvent::XACT_EVENT_COMMIT {
        // A question that looked a moment ago may have found nothing: what it did not see yet is to be done.
        let is_recent = LAST_START
            .get()
            .is_some_and(|last| last.elapsed() < BETWEEN);
        if IS_WANTED_AT_COMMIT.replace(false) && !is_recent {
            start();
        }
    } else if matches!(
        event,
        pg_sys::XactEvent::XACT_EVENT_ABORT | pg_sys::XactEvent::XACT_EVENT_PREPARE
    ) {
        IS_WANTED_AT_COMMIT.set(false);
    }
}

/// Whether this process may start a worker.
fn can_start() -> bool {
    // SAFETY: all read variables of the process or the state of the server. A background worker has an entry.
    let is_session = unsafe {
        pg_sys::IsUnderPostmaster
            && !pg_sys::IsBinaryUpgrade
            && pg_sys::MyBgworkerEntry.is_null()
            && !pg_sys::RecoveryInProgress()
    };
    is_session && settings::enable_maintenance()
}

fn start() {
    LAST_START.set(Some(Instant::now()));
    // SAFETY: set at backend start, read only.
    let database = unsafe { pg_sys::MyDatabaseId };
    // With all slots of max_worker_processes taken, the next question or the launcher tries again.
    let _ = start_worker(database, 0);
}

/// Starts the worker of a database. `notify` is the process to be notified of its end, or 0.
pub(super) fn start_worker(database: pg_sys::Oid, notify: i32) -> Option<DynamicBackgroundWorker> {
    BackgroundWorkerBuilder::new("pg_text2sql maintenance")
        .set_type("pg_text2sql maintenance")
        .set_library("$libdir/pg_text2sql")
        .set_function("text2sql_maintenance_worker")
        .set_argument(database.into_datum())
        .enable_spi_access()
        .set_notify_pid(notify)
        .load_dynamic()
        .ok()
}
