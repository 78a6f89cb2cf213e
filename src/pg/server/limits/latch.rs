//! Waits for another thread of this process, so that a cancel ends the wait.

use std::ffi::c_long;

use pgrx::pg_sys;

/// Maximum sleep before the wait checks again, in case a wake-up was lost.
const LONGEST_SLEEP_MS: c_long = 1_000;

/// Sleeps until the latch is set, the descriptor is readable, or the maximum sleep is over; returns whether it is
/// readable. For the main thread; the descriptor is open meanwhile.
pub(crate) fn sleep(descriptor: i32) -> bool {
    let events = pg_sys::WL_LATCH_SET
        | pg_sys::WL_SOCKET_READABLE
        | pg_sys::WL_TIMEOUT
        | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: main thread; `MyLatch` is this backend's latch.
    unsafe {
        let woken = pg_sys::WaitLatchOrSocket(
            pg_sys::MyLatch,
            events as i32,
            descriptor,
            LONGEST_SLEEP_MS,
            pg_sys::PG_WAIT_EXTENSION,
        ) as u32;
        if woken & pg_sys::WL_LATCH_SET != 0 {
            pg_sys::ResetLatch(pg_sys::MyLatch);
        }
        woken & pg_sys::WL_SOCKET_READABLE != 0
    }
}
