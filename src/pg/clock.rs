//! A pinned clock: while it stands, `now()`, `CURRENT_DATE`, `'today'::date` and everything else that asks
//! for the transaction's or the statement's time gets the same moment, so that a case written last year
//! still has the answer that it had. `clock_timestamp()` in a judged tree becomes `now()`
//! (`guard/substitute.rs`). Timers, logs and sleeping keep the real time.

use std::cell::Cell;

use pgrx::pg_sys;

thread_local! {
    static IS_PINNED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the clock is pinned.
pub(crate) fn is_pinned() -> bool {
    IS_PINNED.get()
}

/// The clock stands until this is dropped, by unwinding too.
pub(crate) struct PinnedClock {
    transaction: pg_sys::TimestampTz,
    statement: pg_sys::TimestampTz,
    was_pinned: bool,
}

impl PinnedClock {
    /// Stops the clock at a moment, in microseconds since 2000-01-01 00:00:00 UTC.
    pub(crate) fn at(microseconds: i64) -> Self {
        // SAFETY: these read variables of the process.
        let (transaction, statement) = unsafe {
            (
                pg_sys::GetCurrentTransactionStartTimestamp(),
                pg_sys::GetCurrentStatementStartTimestamp(),
            )
        };
        set(microseconds, microseconds);
        Self {
            transaction,
            statement,
            was_pinned: IS_PINNED.replace(true),
        }
    }
}

impl Drop for PinnedClock {
    fn drop(&mut self) {
        set(self.transaction, self.statement);
        IS_PINNED.set(self.was_pinned);
    }
}

/// The function is there for parallel workers, which get the leader's times. A server with assertions
/// insists on being one, so it is told so for the two assignments.
fn set(transaction: pg_sys::TimestampTz, statement: pg_sys::TimestampTz) {
    // SAFETY: the function assigns two variables and raises no error; nobody looks at the worker's
    // number in between.
    unsafe {
        let number = pg_sys::ParallelWorkerNumber;
        pg_sys::ParallelWorkerNumber = 0;
        pg_sys::SetParallelStartTimestamps(transaction, statement);
        pg_sys::ParallelWorkerNumber = number;
    }
}
