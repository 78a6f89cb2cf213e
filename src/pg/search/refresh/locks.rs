//! The locks of those who write the search index.
//!
//! | lock | held by | how it is taken |
//! |---|---|---|
//! | `Caller` | a call of `refresh()` or `forget('vectors', …)`, until it ends | by `refresh()` without waiting: a second call is an error |
//! | `Workers` | `refresh()`, until it ends, and a worker for a transaction | `refresh()` waits for it; a worker does without |
//! | `Writer` | whoever writes the index, for a transaction | `refresh()` waits for it; a worker and a teaching transaction do without |
//! | `Worker` | the background worker of the database, for its life | without waiting: one at a time |
//!
//! `Workers` keeps a worker away between two transactions of `refresh()`, whose session may have another embedder.
//! It is a lock because the server cannot say who holds one: a holder between two transactions is not listed.
//!
//! A worker gives way between two batches: to `refresh()`, and to a command that needs the database without
//! sessions, such as `DROP DATABASE`, which waits 5 seconds for them to end.

use pgrx::pg_sys;

use crate::pg::server::background::is_database_wanted;

/// The bytes "t2sr". The class distinguishes the locks from every lock that SQL can take.
const LOCK_KEY: u32 = 0x7432_7372;
const LOCK_CLASS: u16 = 0x7432;
const MODE: pg_sys::LOCKMODE = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;

/// What a lock stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Lock {
    /// A call of `refresh()`.
    Caller,
    /// Keeping workers away, or being one that writes.
    Workers,
    /// Writing the index.
    Writer,
    /// Being the background worker of the database.
    Worker,
}

impl Lock {
    /// Takes the lock until the end of the transaction if nobody else has it.
    pub(crate) fn try_take(self) -> bool {
        // SAFETY: main thread, inside a transaction; does not wait. The transaction's end releases it.
        let taken = unsafe { pg_sys::LockAcquire(&self.tag(), MODE, false, true) };
        taken != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    }

    /// Waits for the lock, and holds it until the end of the transaction.
    pub(crate) fn take(self) {
        // SAFETY: as above; an interrupt ends the wait with an ERROR.
        unsafe { pg_sys::LockAcquire(&self.tag(), MODE, false, false) };
    }

    /// Takes the lock until the process ends if nobody else has it.
    pub(crate) fn try_take_for_life(self) -> bool {
        self.try_hold().map(std::mem::forget).is_some()
    }

    /// Takes the lock, across transactions, until the result is dropped, if nobody else has it.
    pub(super) fn try_hold(self) -> Option<Held> {
        // SAFETY: as above; a lock of the session, which the end of the process releases at the latest.
        let taken = unsafe { pg_sys::LockAcquire(&self.tag(), MODE, true, true) };
        (taken != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL).then_some(Held(self))
    }

    /// Whether another session waits for this lock, which the transaction holds.
    fn is_wanted(self) -> bool {
        // SAFETY: the lock is held, as the caller says.
        unsafe { pg_sys::LockHasWaiters(&self.tag(), MODE, false) }
    }

    /// Waits for the lock, and holds it across transactions until the result is dropped.
    pub(super) fn hold(self) -> Held {
        // SAFETY: as above; an interrupt ends the wait with an ERROR.
        unsafe { pg_sys::LockAcquire(&self.tag(), MODE, true, false) };
        Held(self)
    }

    fn tag(self) -> pg_sys::LOCKTAG {
        pg_sys::LOCKTAG {
            // SAFETY: set at backend start, read only.
            locktag_field1: unsafe { pg_sys::MyDatabaseId.to_u32() },
            locktag_field2: LOCK_KEY,
            locktag_field3: match self {
                Self::Caller => 0,
                Self::Writer => 1,
                Self::Worker => 2,
                Self::Workers => 3,
            },
            locktag_field4: LOCK_CLASS,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        }
    }
}

/// A lock that is held across transactions.
#[must_use]
pub(super) struct Held(Lock);

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the lock is held by this session; needs no transaction, so that an ERROR may unwind through here.
        unsafe { pg_sys::LockRelease(&self.0.tag(), MODE, true) };
    }
}

/// Whether a worker that holds `Workers` and `Writer` should end its work here.
pub(super) fn should_give_way() -> bool {
    Lock::Writer.is_wanted() || Lock::Workers.is_wanted() || is_database_wanted()
}
