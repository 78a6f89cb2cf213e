//! Advisory locks of the extension, in one list: [`Purpose`] says what each is for.
//!
//! Each purpose has its own class, which distinguishes it from every lock that SQL can take: those have the classes 1 and 2.
//! Most locks belong to the transaction, so that an ERROR needs no clean-up. The steps of `text2sql_eval.tune` lock from
//! SQL: see `sql/schema/text2sql_eval/tuning_steps.sql`.

use std::hash::{DefaultHasher, Hash, Hasher};

use pgrx::pg_sys;

/// The purpose of a lock.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose<'a> {
    /// A slot of the database for a question that waits for a model.
    Slot,
    /// A slot of a role, by its OID.
    RoleSlot(pg_sys::Oid),
    /// Counting against budgets.
    Count,
    /// Answering a submitted question, by its number.
    Question(i64),
    /// A place for a worker that answers submitted questions.
    WorkerPlace,
    /// Leaving a place for a worker to another role.
    HandOver,
    /// Having no process for the questions of a call.
    WantedProcess,
    /// Storing the questions of a batch, by its number.
    Batch(i64),
    /// Writing definitions of any term. Whoever writes those of one term shares it.
    Terms,
    /// Writing the definitions of a term: two of them for one table would make one unreachable.
    Term(&'a str),
    /// Writing joins.
    Joins,
    /// Writing instructions.
    Instructions,
    /// Writing the prompt template of that name.
    Template(&'a str),
    /// Writing samples.
    Samples,
    /// Importing or taking back a source.
    Source(&'a str),
}

impl Purpose<'_> {
    /// The class, as `pg_locks.objsubid` shows it, and the key among the locks of that class.
    pub(crate) fn class_and_key(self) -> (u16, u64) {
        match self {
            Self::Slot => (0x7432, KEY),
            Self::RoleSlot(role) => (0x7433, u64::from(role.to_u32()) << 32),
            Self::Count => (0x7434, KEY),
            Self::Question(id) => (0x7435, id.cast_unsigned()),
            Self::WorkerPlace => (0x7436, KEY),
            Self::Batch(id) => (0x7437, id.cast_unsigned()),
            Self::Terms => (0x7438, KEY),
            Self::Term(term) => (0x7439, hash(&term.to_lowercase())),
            Self::Joins => (0x743a, KEY),
            Self::Instructions => (0x743b, KEY),
            Self::Template(name) => (0x743c, hash(name)),
            Self::Samples => (0x743d, KEY),
            Self::Source(name) => (0x743e, hash(name)),
            Self::HandOver => (0x743f, KEY),
            Self::WantedProcess => (0x7440, KEY),
        }
    }

    /// The lock number `place` among those of one purpose.
    fn tag(self, place: u16) -> pg_sys::LOCKTAG {
        let (class, key) = self.class_and_key();
        let key = key.wrapping_add(u64::from(place));
        pg_sys::LOCKTAG {
            // SAFETY: set at backend start, read only.
            locktag_field1: unsafe { pg_sys::MyDatabaseId.to_u32() },
            locktag_field2: (key >> 32) as u32,
            locktag_field3: key as u32,
            locktag_field4: class,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        }
    }
}

/// The bytes "t2sq", before the number of the place.
const KEY: u64 = 0x7432_7371 << 32;

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

const EXCLUSIVE: pg_sys::LOCKMODE = pg_sys::ExclusiveLock as pg_sys::LOCKMODE;
const SHARED: pg_sys::LOCKMODE = pg_sys::ShareLock as pg_sys::LOCKMODE;

/// A lock that this transaction holds, until it is released or the transaction ends.
#[must_use]
pub(crate) struct Held(pg_sys::LOCKTAG);

impl Held {
    /// Releases it.
    pub(crate) fn give_back(self) {
        // SAFETY: the lock was taken by this transaction.
        unsafe { pg_sys::LockRelease(&self.0, EXCLUSIVE, false) };
    }
}

/// Takes one of a number of slots for that purpose, if one is free.
pub(crate) fn take_one_of(purpose: Purpose<'_>, places: u16) -> Option<Held> {
    let mut tags = (0..places).map(|place| purpose.tag(place));
    tags.find(|tag| {
        // SAFETY: main thread, inside a transaction; does not wait.
        let taken = unsafe { pg_sys::LockAcquire(tag, EXCLUSIVE, false, true) };
        taken != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL
    })
    .map(Held)
}

/// Waits for the only lock for that purpose.
pub(crate) fn take(purpose: Purpose<'_>) -> Held {
    let tag = purpose.tag(0);
    // SAFETY: main thread, inside a transaction; an interrupt ends the wait with an ERROR.
    unsafe { pg_sys::LockAcquire(&tag, EXCLUSIVE, false, false) };
    Held(tag)
}

/// Waits for the lock and keeps it to the end of the transaction.
pub(crate) fn take_turns(purpose: Purpose<'_>) {
    let _held = take(purpose);
}

/// Waits until nobody has the lock alone, and shares it to the end of the transaction.
pub(crate) fn share_turns(purpose: Purpose<'_>) {
    // SAFETY: as in `take`.
    unsafe { pg_sys::LockAcquire(&purpose.tag(0), SHARED, false, false) };
}

/// A lock that this session holds until this is dropped, over several transactions, and at the latest to the end of the
/// process.
#[must_use]
pub(crate) struct HeldBySession(pg_sys::LOCKTAG);

impl Drop for HeldBySession {
    fn drop(&mut self) {
        // SAFETY: the lock is held by this session; needs no transaction, so that an ERROR may unwind through here.
        unsafe { pg_sys::LockRelease(&self.0, EXCLUSIVE, true) };
    }
}

/// Takes the lock number `place` for this session, if nobody has it, this session included.
pub(crate) fn take_for_session(purpose: Purpose<'_>, place: u16) -> Option<HeldBySession> {
    let tag = purpose.tag(place);
    // SAFETY: main thread, inside a transaction; does not wait.
    let taken = unsafe { pg_sys::LockAcquire(&tag, EXCLUSIVE, true, true) };
    match taken {
        pg_sys::LockAcquireResult::LOCKACQUIRE_OK => Some(HeldBySession(tag)),
        // One that this session holds already is counted once more.
        pg_sys::LockAcquireResult::LOCKACQUIRE_ALREADY_HELD
        | pg_sys::LockAcquireResult::LOCKACQUIRE_ALREADY_CLEAR => {
            drop(HeldBySession(tag));
            None
        }
        _ => None,
    }
}
