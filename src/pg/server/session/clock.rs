//! The clock of an evaluation: the time returned by `now()`, `CURRENT_DATE`, `'today'::date` and everything
//! else that uses the transaction's or the statement's time, so that a case written last year still has the
//! same answer. `clock_timestamp()` in a judged tree becomes `now()` (`guard/substitute.rs`).
//!
//! [`PinnedClock`] only stores the time. The server's own clock is set only while a guarded statement runs and
//! while the core asks for the current date: records of an evaluation, and the deletion of old records, use the
//! real time. Where the clock would open rows, the guard refuses the statement (`guard/moved_clock.rs`).

use std::cell::Cell;
use std::ops::Range;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

/// In microseconds since 2000-01-01.
const YEARS_1_TO_9999: Range<i64> = -63_082_281_600_000_000..252_455_616_000_000_000;

thread_local! {
    static MOMENT: Cell<Option<pg_sys::TimestampTz>> = const { Cell::new(None) };
}

/// Whether an evaluation has its own clock.
pub(crate) fn is_pinned() -> bool {
    MOMENT.get().is_some()
}

/// The clock is pinned until this is dropped, also by unwinding.
pub(crate) struct PinnedClock {
    before: Option<pg_sys::TimestampTz>,
}

impl PinnedClock {
    /// Pins the clock to a time, in microseconds since 2000-01-01 00:00:00 UTC.
    pub(crate) fn at(microseconds: i64) -> Result<Self, Error> {
        // Dates near the ends of the type overflow when something is added to them.
        if !YEARS_1_TO_9999.contains(&microseconds) {
            return Err(failure!(
                Setting,
                "the time of an evaluation must be in the years 1 to 9999"
            ));
        }
        Ok(Self {
            before: MOMENT.replace(Some(microseconds)),
        })
    }
}

impl Drop for PinnedClock {
    fn drop(&mut self) {
        MOMENT.set(self.before);
    }
}

/// Runs `work` under the clock of the evaluation, if there is one. The real times are restored afterwards, also
/// by unwinding.
pub(crate) fn at_the_moment<T>(work: impl FnOnce() -> T) -> T {
    let Some(moment) = MOMENT.get() else {
        return work();
    };
    // SAFETY: these read variables of the process.
    let real = unsafe {
        RealTimes {
            transaction: pg_sys::GetCurrentTransactionStartTimestamp(),
            statement: pg_sys::GetCurrentStatementStartTimestamp(),
        }
    };
    set(moment, moment);
    let outcome = work();
    drop(real);
    outcome
}

/// The times to restore.
struct RealTimes {
    transaction: pg_sys::TimestampTz,
    statement: pg_sys::TimestampTz,
}

impl Drop for RealTimes {
    fn drop(&mut self) {
        set(self.transaction, self.statement);
    }
}

/// Sets both times. The server has one function for it, made for parallel workers, which get the times of their
/// leader. It affects what no change of a query could: defaults of input functions, bodies of views, functions
/// in other languages, parallel workers.
///
/// A server built with assertions requires the caller to be a parallel worker, which is simulated for the two
/// assignments; other servers do not check.
fn set(transaction: pg_sys::TimestampTz, statement: pg_sys::TimestampTz) {
    // SAFETY: the function assigns two variables and raises no error; no interrupt is served in between.
    unsafe {
        let number = pg_sys::ParallelWorkerNumber;
        if is_asserting() {
            pg_sys::ParallelWorkerNumber = 0;
        }
        pg_sys::SetParallelStartTimestamps(transaction, statement);
        pg_sys::ParallelWorkerNumber = number;
    }
}

/// Whether the server was built with assertions.
fn is_asserting() -> bool {
    // SAFETY: a setting of every server; the value is a NUL-terminated text that is looked at at once.
    unsafe {
        let value = pg_sys::GetConfigOption(c"debug_assertions".as_ptr(), true, false);
        !value.is_null() && *value == b'o'.cast_signed() && *value.add(1) == b'n'.cast_signed()
    }
}
