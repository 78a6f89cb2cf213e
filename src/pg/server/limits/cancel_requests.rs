//! Cancels of a guarded statement, and who requested them.
//!
//! The server has one flag for all of them: a user's request, `statement_timeout`, `lock_timeout`, a conflict
//! with recovery, and the limits of `query_timer.rs` and `memory_watchdog.rs`. Two rules keep them apart:
//!
//! - A request by another process arrives as SIGINT from that process, which a handler in front of the server's
//!   records. The server sends SIGINT to itself for its own timeouts.
//! - The flag is never cleared here. A cancel that is pending when the statement ends is served immediately, by
//!   the server, inside the sandbox: only the server knows whether a timeout or recovery caused it.
//!
//! Therefore a request by another process cannot be lost between reading and clearing the flag, and the guard's
//! own cancel cannot remain pending for what runs next.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};

use pgrx::pg_sys::panic::CaughtError;
use pgrx::{PgSqlErrorCode, PgTryBuilder, pg_sys};

/// Watches from `start` until it is dropped.
pub(crate) struct CancelWatch {
    before: Option<libc::sigaction>,
    /// Whether `statement_timeout` was running at the start.
    has_statement_timeout: bool,
}

impl CancelWatch {
    /// Installs a handler in front of the server's handler of SIGINT.
    pub(crate) fn start() -> Self {
        REQUESTED.store(false, Ordering::SeqCst);
        // SAFETY: reads the state of a timeout that every backend has.
        let has_statement_timeout = unsafe { get_timeout_active(STATEMENT_TIMEOUT) };
        // SAFETY: plain calls of libc on local structs. The new handler calls the one before it
        // and keeps its mask and its other flags.
        let before = unsafe {
            let mut before: libc::sigaction = std::mem::zeroed();
            let is_known = libc::sigaction(libc::SIGINT, std::ptr::null(), &raw mut before) == 0
                && before.sa_sigaction != libc::SIG_DFL
                && before.sa_sigaction != libc::SIG_IGN;
            is_known.then(|| {
                TAKES_DETAILS.store(before.sa_flags & libc::SA_SIGINFO != 0, Ordering::SeqCst);
                NEXT_HANDLER.store(before.sa_sigaction, Ordering::SeqCst);
                OWN_PROCESS.store(libc::getpid(), Ordering::SeqCst);
                let mut watched = before;
                watched.sa_flags |= libc::SA_SIGINFO;
                watched.sa_sigaction = on_signal as *const () as usize;
                libc::sigaction(libc::SIGINT, &raw const watched, std::ptr::null_mut());
                before
            })
        };
        Self {
            before,
            has_statement_timeout,
        }
    }

    /// Whether the statement should end for another reason: a request by another process, or
    /// `statement_timeout`.
    pub(crate) fn is_requested(&self) -> bool {
        // SAFETY: reads the state of a timeout; one that went off is no longer active. Only the end of the
        // client's statement switches it off otherwise.
        let went_off =
            self.has_statement_timeout && unsafe { !get_timeout_active(STATEMENT_TIMEOUT) };
        went_off || REQUESTED.load(Ordering::SeqCst)
    }
}

impl Drop for CancelWatch {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: puts back what `start` found.
            unsafe { libc::sigaction(libc::SIGINT, before, std::ptr::null_mut()) };
        }
    }
}

/// Whether a cancel is pending.
pub(crate) fn is_pending() -> bool {
    flag().load(Ordering::SeqCst) != 0
}

/// Makes the server serve the pending cancel; returns the error that it raises. To be called inside a
/// subtransaction that is rolled back next.
pub(crate) fn serve() -> Option<CaughtError> {
    PgTryBuilder::new(|| {
        pgrx::check_for_interrupts!();
        None
    })
    .catch_others(Some)
    .execute()
}

/// The SQLSTATE of an error that the server raised.
pub(crate) fn code_of(caught: &CaughtError) -> PgSqlErrorCode {
    match caught {
        CaughtError::PostgresError(report)
        | CaughtError::ErrorReport(report)
        | CaughtError::RustPanic {
            ereport: report, ..
        } => report.sql_error_code(),
    }
}

/// The outcome of a guarded statement, considering its limits and the requests of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The statement's own outcome.
    AsItWas,
    /// A limit of the guard ended it.
    ByLimit,
    /// The cancel that was served last ended it.
    ByServed,
    /// The statement's own outcome, with a user's cancel request still to be served.
    ToBeCancelled,
}

impl CancelWatch {
    /// Decides how a statement ended: by the SQLSTATE of its error, if any, by whether one of its limits was
    /// reached, and by the SQLSTATE of the cancel that was then pending, if any.
    pub(crate) fn ending(
        &self,
        error: Option<&str>,
        is_over_limit: bool,
        served: Option<PgSqlErrorCode>,
    ) -> Ending {
        let is_requested = self.is_requested();
        match served {
            Some(PgSqlErrorCode::ERRCODE_QUERY_CANCELED) if is_requested => {
                return Ending::ByServed;
            }
            // The cancel of a limit, or a lock timeout at the same moment: the statement is over anyway.
            Some(
                PgSqlErrorCode::ERRCODE_QUERY_CANCELED | PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE,
            )
            | None => {}
            Some(_) => return Ending::ByServed,
        }
        match error {
            Some("57014") if is_requested || !is_over_limit => Ending::AsItWas,
            Some("57014") => Ending::ByLimit,
            // Code called by the statement caught the cancel.
            _ if is_requested && !is_pending() => Ending::ToBeCancelled,
            _ => Ending::AsItWas,
        }
    }
}

/// Requests a cancel again, when the code that was cancelled caught the last one and continued.
pub(crate) fn request_again() {
    flag().store(1, Ordering::SeqCst);
    interrupt_flag().store(1, Ordering::SeqCst);
}

/// Asks the server to cancel the running query, unless a cancel is already pending. Returns whether the pending
/// cancel is that of a limit. Safe in a signal handler and, for the watchdog, in another thread.
pub(crate) fn raise(claim: &AtomicBool) -> bool {
    // A pending cancel by the user must not be mistaken for that of a limit.
    if is_pending() {
        return false;
    }
    claim.store(true, Ordering::SeqCst);
    request_again();
    true
}

fn flag() -> &'static AtomicI32 {
    // SAFETY: an aligned `int` that lives as long as the process; PostgreSQL itself changes it asynchronously.
    unsafe { AtomicI32::from_ptr(&raw mut pg_sys::QueryCancelPending) }
}

fn interrupt_flag() -> &'static AtomicI32 {
    // SAFETY: as above.
    unsafe { AtomicI32::from_ptr(&raw mut pg_sys::InterruptPending) }
}

static REQUESTED: AtomicBool = AtomicBool::new(false);
static NEXT_HANDLER: AtomicUsize = AtomicUsize::new(0);
static TAKES_DETAILS: AtomicBool = AtomicBool::new(false);
static OWN_PROCESS: AtomicI32 = AtomicI32::new(0);

/// Runs inside the signal handler, on the main thread.
unsafe extern "C" fn on_signal(signal: c_int, details: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system hands over a valid description of the signal.
    let sender = unsafe { details.as_ref().map(|details| details.si_pid()) };
    // The server signals itself when one of its own timeouts fires; `statement_timeout` is detected without the
    // signal, and `lock_timeout` is an ordinary error of the statement.
    if sender != Some(OWN_PROCESS.load(Ordering::SeqCst)) {
        REQUESTED.store(true, Ordering::SeqCst);
    }
    let next = NEXT_HANDLER.load(Ordering::SeqCst);
    if next == 0 {
        return;
    }
    // SAFETY: the address is that of the handler found for this signal, which takes what its flags said.
    unsafe {
        if TAKES_DETAILS.load(Ordering::SeqCst) {
            let next: unsafe extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(next);
            next(signal, details, context);
        } else {
            let next: unsafe extern "C" fn(c_int) = std::mem::transmute(next);
            next(signal);
        }
    }
}

/// Its number in `utils/timeout.h`, the same from PostgreSQL 9.3 to 18.
const STATEMENT_TIMEOUT: c_int = 3;

// `utils/timeout.h` is not in pgrx's bindings.
unsafe extern "C" {
    fn get_timeout_active(id: c_int) -> bool;
}

/// Whether a cancel was requested since the handler was installed.
#[cfg(feature = "pg_test")]
pub(super) fn is_requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}
