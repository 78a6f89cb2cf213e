//! Locks of workers that answer submitted questions: on the question, and on one of the places for workers. They
//! belong to the session, because a question takes several transactions, and end with the process at the latest.

use pgrx::pg_sys;

/// Distinguish the locks from every lock that SQL can take, as in `crate::pg::spi::advisory_locks`.
const QUESTION_CLASS: u16 = 0x7435;
const PLACE_CLASS: u16 = 0x7436;
const BATCH_CLASS: u16 = 0x7437;
const PLACE_KEY: u32 = 0x7432_7371;
const MODE: pg_sys::LOCKMODE = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;

/// A lock that this session holds until this is dropped.
#[must_use]
pub(crate) struct Held(pg_sys::LOCKTAG);

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the lock is held by this session; needs no transaction, so that an ERROR may unwind through here.
        unsafe { pg_sys::LockRelease(&self.0, MODE, true) };
    }
}

/// The lock on a question, if no other process answers it.
pub(super) fn take_question(id: i64) -> Option<Held> {
    take(question(id))
}

/// Takes one of this many places for workers of this database, until the process ends.
pub(super) fn take_place_for_life(places: u16) -> bool {
    (0..places).any(|number| take(place(number)).map(std::mem::forget).is_some())
}

/// Whether one of this many places is free at this moment.
pub(super) fn is_place_free(places: u16) -> bool {
    (0..places).any(|number| take(place(number)).is_some())
}

/// Waits until nobody else stores the questions of that batch, to the end of the transaction.
pub(super) fn take_batch(scope: i64) {
    let scope = scope.cast_unsigned();
    let tag = tag((scope >> 32) as u32, scope as u32, BATCH_CLASS);
    // SAFETY: main thread, inside a transaction; an interrupt ends the wait with an ERROR.
    unsafe { pg_sys::LockAcquire(&tag, MODE, false, false) };
}

/// The process that answers a question, as `pg_locks` shows it.
pub(super) const WORKER_OF_QUESTION: &str = "
    SELECT l.pid FROM pg_locks l
     WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 29749
       AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
       AND l.classid::bigint = ($1 >> 32) AND l.objid::bigint = ($1 & 4294967295)";

fn take(tag: pg_sys::LOCKTAG) -> Option<Held> {
    // SAFETY: main thread, inside a transaction; does not wait.
    let taken = unsafe { pg_sys::LockAcquire(&tag, MODE, true, true) };
    match taken {
        pg_sys::LockAcquireResult::LOCKACQUIRE_OK => Some(Held(tag)),
        // One that this session holds already is counted once more.
        pg_sys::LockAcquireResult::LOCKACQUIRE_ALREADY_HELD
        | pg_sys::LockAcquireResult::LOCKACQUIRE_ALREADY_CLEAR => {
            drop(Held(tag));
            None
        }
        _ => None,
    }
}

fn question(id: i64) -> pg_sys::LOCKTAG {
    let id = id.cast_unsigned();
    tag((id >> 32) as u32, id as u32, QUESTION_CLASS)
}

fn place(number: u16) -> pg_sys::LOCKTAG {
    tag(PLACE_KEY, u32::from(number), PLACE_CLASS)
}

fn tag(key: u32, number: u32, class: u16) -> pg_sys::LOCKTAG {
    pg_sys::LOCKTAG {
        // SAFETY: set at backend start, read only.
        locktag_field1: unsafe { pg_sys::MyDatabaseId.to_u32() },
        locktag_field2: key,
        locktag_field3: number,
        locktag_field4: class,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    }
}
