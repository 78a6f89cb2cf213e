//! Advisory locks of the extension: slots for waiting questions, and the lock for counting.
//!
//! Each kind has its own class, which distinguishes it from every lock that SQL can take: those have the
//! classes 1 and 2. The locks belong to the transaction, so that an ERROR needs no clean-up.

use pgrx::pg_sys;

/// The purpose of a lock.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A slot of the database for a question that waits for a model.
    Slot,
    /// A slot of a role, by its OID.
    RoleSlot(pg_sys::Oid),
    /// Counting against budgets.
    Count,
}

/// A lock that this transaction holds, until it is released or the transaction ends.
#[must_use]
pub(crate) struct Held(pg_sys::LOCKTAG);

impl Held {
    /// Releases it.
    pub(crate) fn give_back(self) {
        // SAFETY: the lock was taken by this transaction.
        unsafe { pg_sys::LockRelease(&self.0, MODE, false) };
    }
}

/// Takes one of a number of slots of that kind, if one is free.
pub(crate) fn take_one_of(kind: Kind, places: u16) -> Option<Held> {
    let mut tags = (0..places).map(|place| tag(kind, place));
    tags.find(|tag| {
        // SAFETY: main thread, inside a transaction; does not wait.
        let taken = unsafe { pg_sys::LockAcquire(tag, MODE, false, true) };
        taken != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    })
    .map(Held)
}

/// Waits for the only lock of that kind.
pub(crate) fn take(kind: Kind) -> Held {
    let tag = tag(kind, 0);
    // SAFETY: main thread, inside a transaction; an interrupt ends the wait with an ERROR.
    unsafe { pg_sys::LockAcquire(&tag, MODE, false, false) };
    Held(tag)
}

const MODE: pg_sys::LOCKMODE = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;

/// The bytes "t2sq".
const KEY: u32 = 0x7432_7371;

fn tag(kind: Kind, place: u16) -> pg_sys::LOCKTAG {
    let (class, key) = match kind {
        Kind::Slot => (0x7432, KEY),
        Kind::RoleSlot(role) => (0x7433, role.to_u32()),
        Kind::Count => (0x7434, KEY),
    };
    pg_sys::LOCKTAG {
        // SAFETY: set at backend start, read only.
        locktag_field1: unsafe { pg_sys::MyDatabaseId.to_u32() },
        locktag_field2: key,
        locktag_field3: u32::from(place),
        locktag_field4: class,
        locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
        locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
    }
}
