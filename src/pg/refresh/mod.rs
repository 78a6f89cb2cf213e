//! Builds and updates the search index: the implementation of `CALL text2sql.refresh()`, the only writer of the
//! index.
//!
//! Work is done in batches, each committed with its own progress, so that an interruption loses at most one
//! batch and the next call continues. Changed objects are found by comparing fingerprints of the whole catalog,
//! not by the records of the event triggers, so that nothing is missed while those were disabled.
//!
//! The index is written as its owner. It holds only values that the caller can read. No lock or snapshot is
//! held during calls of an embedder: documents are read in one transaction and stored in the next; a table that
//! changes in between has another fingerprint and is processed by the next call.

mod begin;
mod knowledge;
mod progress;
mod run;
mod sent_texts;
mod store;
mod tables;
mod value_meanings;
mod values;
mod vectors;
mod words;

use std::cell::Cell;
use std::time::Instant;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_language::terms::Analyzer;

use self::progress::Progress;
use self::run::Refresh;
use crate::pg::search_index::{DEFINITIONS, EXAMPLES, embedder, owner};
use crate::pg::settings::{self, Overrides};
use crate::pg::spi::role::EffectiveRole;
use crate::pg::{models, spi};

const FINISH: &str = "UPDATE text2sql._index_state SET refreshed_at = clock_timestamp(), refreshed_by = $1::text::name, seconds = $2, done = total";
const REBIND: &str = "SELECT text2sql._rebind_knowledge()";
const FORGET_CHANGES: &str = "DELETE FROM text2sql._index_changes WHERE id = ANY ($1)";
const ALL_CHANGES: &str = "SELECT id, relation FROM text2sql._index_changes";

/// Updates the index; with `rebuild`, rebuilds it completely.
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
            caller: EffectiveRole {
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
        // As the owner, who sees all knowledge: no other role's refresh would bind it completely.
        refresh.as_owner(|| spi::execute(REBIND, &[], |_| Ok(())))?;
        refresh.commit()?;
        // Read before the catalog: what is recorded later remains for the next call.
        let changes = refresh.as_owner(|| spi::read_rows(ALL_CHANGES, &[], 0, read_change))?;
        let indexed = refresh.tables()?;
        let definitions = refresh.knowledge(DEFINITIONS)?;
        let examples = refresh.knowledge(EXAMPLES)?;
        refresh.words()?;
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

fn read_change(row: &spi::Row) -> Result<i64, Error> {
    Ok(row.read::<i64>(1)?.unwrap_or_default())
}

fn refuse_where_nothing_can_be_written() -> Result<(), Error> {
    // SAFETY: both read the server's state.
    let (in_recovery, read_only) = unsafe { (pg_sys::RecoveryInProgress(), pg_sys::XactReadOnly) };
    if in_recovery {
        return Err(
            Error::new(ErrorKind::Setup, "refresh() cannot run on a standby")
                .with_hint("Call it on the primary; the index is replicated to standbys."),
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
