//! One refresh: the caller, the settings, and the lock that prevents concurrent refreshes.

use std::cell::Cell;

use pgrx::pg_sys;
use text2sql_domain::config::Limits;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::ports::Embedder;
use text2sql_language::terms::Analyzer;

use super::progress::Progress;
use crate::pg::settings::GuardPolicy;
use crate::pg::spi;
use crate::pg::spi::role::{EffectiveRole, with_role};

/// Key of the lock that allows one refresh at a time: the bytes "t2sr". The class distinguishes it from every
/// lock that SQL can take.
const LOCK_KEY: u32 = 0x7432_7372;
const LOCK_CLASS: u16 = 0x7432;

/// One refresh.
pub(super) struct Refresh {
    /// The owner of the index, who writes it.
    pub(super) owner: EffectiveRole,
    /// The caller: only what this role can read is read.
    pub(super) caller: EffectiveRole,
    /// The limits for reading one table.
    pub(super) limits: Limits,
    pub(super) policy: GuardPolicy,
    pub(super) analyzer: Analyzer,
    pub(super) embedder: Box<dyn Embedder>,
    /// Length of the vectors, once it is known.
    pub(super) dimensions: Cell<usize>,
    pub(super) progress: Progress,
    /// Its trace_id in the egress log.
    pub(super) trace_id: pgrx::Uuid,
}

impl Refresh {
    /// Runs `work` with the privileges of the index's owner.
    pub(super) fn as_owner<T>(&self, work: impl FnOnce() -> T) -> T {
        with_role(&self.owner, work)
    }

    /// Takes the lock of this transaction, which prevents concurrent refreshes.
    pub(super) fn lock(&self) -> Result<(), Error> {
        let tag = pg_sys::LOCKTAG {
            // SAFETY: set at backend start, read only.
            locktag_field1: unsafe { pg_sys::MyDatabaseId.to_u32() },
            locktag_field2: LOCK_KEY,
            locktag_field3: 0,
            locktag_field4: LOCK_CLASS,
            locktag_type: pg_sys::LockTagType::LOCKTAG_ADVISORY as u8,
            locktag_lockmethodid: pg_sys::USER_LOCKMETHOD as u8,
        };
        // SAFETY: main thread, inside a transaction; does not wait. The transaction's end releases it.
        let taken = unsafe { pg_sys::LockAcquire(&tag, pg_sys::ExclusiveLock as i32, false, true) };
        if taken == pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL {
            return Err(Error::new(
                ErrorKind::Setup,
                "another refresh() is running in this database",
            )
            .with_hint("Wait for it; SELECT * FROM text2sql.status() shows its progress."));
        }
        Ok(())
    }

    /// Commits, checks for interrupts, and takes the lock again.
    pub(super) fn commit(&self) -> Result<(), Error> {
        spi::commit();
        pgrx::check_for_interrupts!();
        self.lock()
    }
}
