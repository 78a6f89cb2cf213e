//! A time limit for one generated statement. `statement_timeout` cannot be used: it is armed when the client's
//! statement starts, and setting it inside a function has no effect on the running statement.
//!
//! The timer uses the server's own cancel and records that it did; `cancel_requests.rs` distinguishes its cancel from
//! all others, so that it never reaches the next statement.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;

use pgrx::pg_sys;

use crate::pg::server::limits::cancel_requests;

/// Armed from `start` until it is settled or dropped.
pub(crate) struct Timer {
    is_armed: bool,
}

impl Timer {
    /// Arms the timer; a limit of zero arms nothing.
    pub(crate) fn start(limit: Duration) -> Self {
        FIRED.store(false, Ordering::Relaxed);
        let delay = c_int::try_from(limit.as_millis()).unwrap_or(c_int::MAX);
        if limit.is_zero() {
            return Self { is_armed: false };
        }
        // SAFETY: a backend's only thread; timeouts are initialised before any SQL runs. The
        // handler is registered once in the life of a backend: the slots are few.
        unsafe {
            let mut id = ID.load(Ordering::Relaxed);
            if id < 0 {
                id = RegisterTimeout(ANY_FREE_SLOT, Some(on_timeout));
                ID.store(id, Ordering::Relaxed);
            }
            let deadline = pg_sys::GetCurrentTimestamp() + i64::from(delay.max(1)) * 1000;
            enable_timeout_every(id, deadline, REPEAT_MS);
        }
        Self { is_armed: true }
    }

    /// Disarms, and returns whether the limit was reached. A cancel may still be pending.
    pub(crate) fn settle(&mut self) -> bool {
        if !self.is_armed {
            return false;
        }
        self.is_armed = false;
        // SAFETY: the id is registered, for `is_armed` was set.
        unsafe { disable_timeout(ID.load(Ordering::Relaxed), false) };
        FIRED.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.settle();
    }
}

static FIRED: AtomicBool = AtomicBool::new(false);
static ID: AtomicI32 = AtomicI32::new(-1);

/// A function called by the statement may catch a cancel (`EXCEPTION WHEN query_canceled`): the next one
/// follows soon.
const REPEAT_MS: c_int = 50;
/// Any number from `USER_TIMEOUT` on makes `RegisterTimeout` take the next free slot.
const ANY_FREE_SLOT: c_int = 1000;

/// Runs inside the signal handler of SIGALRM, on the main thread.
unsafe extern "C" fn on_timeout() {
    cancel_requests::raise(&FIRED);
    // SAFETY: made for signal handlers; `MyLatch` is set before any SQL runs.
    unsafe { SetLatch(pg_sys::MyLatch) }
}

// `utils/timeout.h` is not in pgrx's bindings, and pgrx's `SetLatch` arms a jump buffer, which a
// signal handler must not do. The first two raise only FATAL, which does not return.
unsafe extern "C" {
    fn RegisterTimeout(id: c_int, handler: Option<unsafe extern "C" fn()>) -> c_int;
    fn enable_timeout_every(id: c_int, deadline: pg_sys::TimestampTz, delay_ms: c_int);
    fn disable_timeout(id: c_int, keep_indicator: bool);
    fn SetLatch(latch: *mut pg_sys::Latch);
}
