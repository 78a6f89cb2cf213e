//! The launcher: where the library is in `shared_preload_libraries`, it starts the worker of each database in turn,
//! again and again.
//!
//! It is connected to no database, so it keeps none from being dropped. It runs on a primary only, and is started
//! again after a crash.

use std::ffi::CStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pgrx::bgworkers::{BackgroundWorker, BackgroundWorkerBuilder, SignalWakeFlags};
use pgrx::{pg_guard, pg_sys};

use super::wake::start_worker;
use crate::pg::server::compat::signals;
use crate::pg::server::ereport;
use crate::pg::server::settings;

/// Time until it is started again after a crash.
const RESTART: Duration = Duration::from_secs(10);

/// Whether the library was preloaded, in the postmaster and every process that it starts.
static IS_PRELOADED: AtomicBool = AtomicBool::new(false);

/// Whether a launcher runs.
pub(super) fn is_preloaded() -> bool {
    IS_PRELOADED.load(Ordering::Relaxed)
}

/// Registers the launcher, where the postmaster loads the library.
pub(crate) fn register() {
    // SAFETY: reads variables of the process.
    let is_preloaded =
        unsafe { pg_sys::process_shared_preload_libraries_in_progress && !pg_sys::IsBinaryUpgrade };
    if !is_preloaded {
        return;
    }
    IS_PRELOADED.store(true, Ordering::Relaxed);
    BackgroundWorkerBuilder::new("pg_text2sql launcher")
        .set_type("pg_text2sql launcher")
        .set_library("pg_text2sql")
        .set_function("text2sql_maintenance_launcher")
        .enable_spi_access()
        .set_restart_time(Some(RESTART))
        .load();
}

/// The main function of the launcher.
///
/// # Safety
/// For PostgreSQL to call.
#[pg_guard]
#[unsafe(no_mangle)]
#[doc(hidden)]
pub unsafe extern "C-unwind" fn text2sql_maintenance_launcher(_argument: pg_sys::Datum) {
    BackgroundWorker::attach_signal_handlers(SignalWakeFlags::SIGHUP);
    signals::end_at_sigterm();
    BackgroundWorker::connect_worker_to_spi(None, None);
    let mut lacked_a_slot = false;
    loop {
        for database in databases() {
            if !settings::enable_maintenance() && settings::queue_workers() == 0 {
                break;
            }
            // SAFETY: set at process start, read only.
            let process = unsafe { pg_sys::MyProcPid };
            let started = start_worker(database, process);
            let lacks_a_slot = started.is_none();
            if lacks_a_slot && !lacked_a_slot {
                ereport::log(
                    "text2sql: could not start a background worker: all slots are taken; increase max_worker_processes",
                );
            }
            lacked_a_slot = lacks_a_slot;
            if let Some(worker) = started {
                // One at a time; an error says that the postmaster died.
                if worker.wait_for_shutdown().is_err() {
                    return;
                }
            }
            serve();
        }
        let round = Instant::now();
        while round.elapsed() < settings::maintenance_interval() {
            let left = settings::maintenance_interval().saturating_sub(round.elapsed());
            if !BackgroundWorker::wait_latch(Some(left.max(Duration::from_millis(1)))) {
                return;
            }
            serve();
        }
    }
}

/// Ends the process where that is wanted, and reads the configuration where that has changed.
fn serve() {
    pgrx::check_for_interrupts!();
    if BackgroundWorker::sighup_received() {
        // SAFETY: the main thread, outside a transaction.
        unsafe { pg_sys::ProcessConfigFile(pg_sys::GucContext::PGC_SIGHUP) };
    }
}

/// The databases to look after, in the order of the catalog.
fn databases() -> Vec<pg_sys::Oid> {
    let wanted = settings::maintenance_databases();
    let mut found = Vec::new();
    // SAFETY: the main thread, outside a transaction; `pg_database` can be read without a database. Each row is read
    // before the next one is fetched.
    unsafe {
        pg_sys::SetCurrentStatementStartTimestamp();
        pg_sys::StartTransactionCommand();
        let lock = pg_sys::AccessShareLock.cast_signed();
        let relation = pg_sys::table_open(pg_sys::DatabaseRelationId, lock);
        let scan = pg_sys::systable_beginscan(
            relation,
            pg_sys::InvalidOid,
            false,
            std::ptr::null_mut(),
            0,
            std::ptr::null_mut(),
        );
        loop {
            let tuple = pg_sys::systable_getnext(scan);
            if tuple.is_null() {
                break;
            }
            let database = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_database>();
            let name = CStr::from_ptr(database.datname.data.as_ptr()).to_string_lossy();
            // Half dropped databases have the limit -2.
            let is_open = database.datallowconn && database.datconnlimit >= -1;
            let is_wanted = wanted.is_empty() || wanted.iter().any(|wanted| *wanted == name);
            if is_open && is_wanted && name != "template1" {
                found.push(database.oid);
            }
        }
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, lock);
        pg_sys::CommitTransactionCommand();
    }
    found
}
