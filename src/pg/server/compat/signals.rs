//! Signals of background workers.

use std::ffi::c_int;

use pgrx::pg_sys;

// The function itself: pgrx's binding is a wrapper, which a signal cannot call.
unsafe extern "C-unwind" {
    fn die(signal: c_int);
}

/// Lets SIGTERM end this background worker at the next check for interrupts, as it ends a session.
pub(crate) fn end_at_sigterm() {
    let signal = pg_sys::SIGTERM.cast_signed();
    // SAFETY: the handler is PostgreSQL's own; the process was started with signals blocked.
    unsafe {
        #[cfg(any(feature = "pg15", feature = "pg16", feature = "pg17"))]
        pg_sys::pqsignal(signal, Some(die));
        #[cfg(not(any(feature = "pg15", feature = "pg16", feature = "pg17")))]
        pg_sys::pqsignal_be(signal, Some(die));
        pg_sys::BackgroundWorkerUnblockSignals();
    }
}
