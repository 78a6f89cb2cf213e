//! Cancels, timeouts and shutdowns, for code that computes for a long time without calling the server.
//!
//! The core checks whether the server wants the statement to end (`text2sql_domain::interrupts`) and returns an
//! error value; [`serve`] then lets the server raise its own error, with nothing left to drop.

use std::ffi::c_int;

use pgrx::pg_sys::{self, sig_atomic_t};

use crate::pg::server::compat::interrupts;

/// Lets the core see what is pending in this process.
pub(crate) fn watch() {
    text2sql_domain::interrupts::watch(is_pending);
}

/// Raises the error of a pending cancel, timeout or shutdown.
pub(crate) fn serve() {
    if is_pending() {
        pgrx::check_for_interrupts!();
    }
}

/// Whether the server would end the statement now.
fn is_pending() -> bool {
    // SAFETY: aligned integers that live as long as the process; signal handlers change them.
    unsafe {
        is_set(&raw const pg_sys::InterruptPending)
            && pg_sys::InterruptHoldoffCount == 0
            && pg_sys::CritSectionCount == 0
            && (is_set(&raw const pg_sys::ProcDiePending)
                || interrupts::is_transaction_over()
                || (is_set(&raw const pg_sys::QueryCancelPending)
                    && pg_sys::QueryCancelHoldoffCount == 0))
    }
}

/// # Safety
/// The flag lives as long as the process.
unsafe fn is_set(flag: *const sig_atomic_t) -> bool {
    // SAFETY: valid, as the caller says; a signal handler may have changed it since the last look.
    let value: c_int = unsafe { flag.read_volatile() };
    value != 0
}
