//! Builds the search index and keeps it true: what `CALL text2sql.refresh()` does, and nobody else.
//!
//! Work is done in batches, each committed with its own marks, so that an interruption loses at most
//! one batch and the next call goes on. What is to be done is found by comparing fingerprints of the
//! whole catalog, not by the notes of DDL, so that nothing is missed while event triggers were off.
//!
//! The index is written as its owner. Of values it holds those that the caller may read.
//! Nothing is held while an embedder works: documents are read in one transaction and stored in the
//! next; a table that changes in between has another fingerprint and is taken up by the next call.

mod begin;
mod egress;
mod knowledge;
mod progress;
mod store;
mod tables;
mod value_meanings;
mod values;
mod vectors;

use std::cell::Cell;
use std::time::Instant;

use pgrx::pg_sys;
use text2sql_core::config::Limits;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::retrieve::embed::Embedder;
use text2sql_core::retrieve::words::Analyzer;

pub(crate) use self::begin::FORMAT;
use self::progress::Progress;
use crate::pg::guard::GuardPolicy;
use crate::pg::models;
use crate::pg::role::{Reader, as_reader};
use crate::pg::search_index::{DEFINITIONS, EXAMPLES, embedder, owner};
use crate::pg::spi;
use crate::settings::{self, Overrides};

/// Key of the lock that one refresh at a time holds: the bytes "t2sr". The class keeps it apart from
/// every lock that SQL can take.
const LOCK_KEY: u32 = 0x7432_7372;
const LOCK_CLASS: u16 = 0x7432;

const FINISH: &str = "UPDATE text2sql._index_state SET refreshed_at = clock_timestamp(), refreshed_by = $1::text::name, seconds = $2, done = total";
const REBIND: &str = "SELECT text2sql._rebind_knowledge()";
const FORGET_CHANGES: &str = "DELETE FROM text2sql._index_changes WHERE id = ANY ($1)";
const ALL_CHANGES: &str = "SELECT id, relation FROM text2sql._index_changes";

/// One refresh.
struct Refresh {
    /// Who owns the index and writes it.
    owner: Reader,
    /// Who called: only what this role may read is read.
    caller: Reader,
    /// What reading one table may take.
    limits: Limits,
    policy: GuardPolicy,
    analyzer: Analyzer,
    embedder: Box<dyn Embedder>,
    /// Length of the vectors, once it is known.
    dimensions: Cell<usize>,
    progress: Progress,
    /// Names it in the egress log.
    trace_id: pgrx::Uuid,
}

/// Brings the index up to date; with `rebuild`, from nothing.
pub(crate) fn refresh(rebuild: bool) -> Result<(), Error> {
    refuse_where_nothing_can_be_written()?;
    let owner = owner()?.ok_or_else(|| {
        Error::new(ErrorKind::Setup, "the extension has no search index")
            .with_hint("ALTER EXTENSION pg_text2sql UPDATE")
    })?;
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    let analyzer = Analyzer::new(&crate::pg::search_index::language()?);
    let started = Instant::now();
    spi::with_commits(|| {
        let refresh = Refresh {
            owner,
            caller: Reader {
                oid: caller,
                is_switched: false,
            },
            limits: settings::limits(&Overrides::default()),
            policy: settings::guard_policy(),
            embedder: embedder::for_refresh(&analyzer)?,
            analyzer,
            dimensions: Cell::new(0),
            progress: Progress::default(),
            trace_id: models::new_trace_id(),
        };
        refresh.lock()?;
        refresh.begin(rebuild)?;
        // As the owner, who sees all that was taught: nobody else's refresh would bind it whole.
        refresh.as_owner(|| spi::execute(REBIND, &[], |_| Ok(())))?;
        refresh.commit()?;
        // Read before the catalog is: what is noted later stays for the next call.
        let changes = refresh.as_owner(|| spi::read_rows(ALL_CHANGES, &[], 0, read_change))?;
        let indexed = refresh.tables()?;
        let definitions = refresh.knowledge(DEFINITIONS)?;
        let examples = refresh.knowledge(EXAMPLES)?;
        refresh.build_vector_indexes()?;
        let values = refresh.values()?;
        let caller = refresh.caller.name();
        let seconds = started.elapsed().as_secs_f64();
        let ids: Vec<i64> = changes.into_iter().collect();
        refresh.as_owner(|| {
            spi::write(FORGET_CHANGES, &[ids.into()], |_| Ok(()))?;
            spi::write(FINISH, &[caller.into(), seconds.into()], |_| Ok(()))
        })?;
        pgrx::notice!(
            "text2sql: {indexed}; {definitions} definitions, {examples} examples; {values}"
        );
        Ok(())
    })
}

impl Refresh {
    /// Runs `work` with the rights of the index's owner.
    fn as_owner<T>(&self, work: impl FnOnce() -> T) -> T {
        as_reader(&self.owner, work)
    }

    /// Takes the lock of this transaction, which keeps other refreshes away.
    fn lock(&self) -> Result<(), Error> {
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
            .with_hint("wait for it: SELECT * FROM text2sql.status() shows how far it is"));
        }
        Ok(())
    }

    /// Commits what was done, listens to interrupts, and takes the lock anew.
    fn commit(&self) -> Result<(), Error> {
        spi::commit();
        pgrx::check_for_interrupts!();
        self.lock()
    }
}

fn read_change(row: &spi::Row) -> Result<i64, Error> {
    Ok(row.read::<i64>(1)?.unwrap_or_default())
}

fn refuse_where_nothing_can_be_written() -> Result<(), Error> {
    // SAFETY: both read the server's state.
    let (in_recovery, read_only) = unsafe { (pg_sys::RecoveryInProgress(), pg_sys::XactReadOnly) };
    if in_recovery {
        return Err(
            Error::new(ErrorKind::Setup, "refresh() cannot run on a standby")
                .with_hint("call it on the primary: its index arrives here with replication"),
        );
    }
    if read_only {
        return Err(Error::new(
            ErrorKind::Setup,
            "refresh() cannot run in a read-only session",
        )
        .with_hint("SET default_transaction_read_only = off"));
    }
    Ok(())
}
