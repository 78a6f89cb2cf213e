//! Builds and updates the search index: the only writer of it.
//!
//! [`refresh`] is `CALL text2sql.refresh()`, [`build_vectors`] the same with a second embedder, [`maintain`] the same work in the background worker
//! (`crate::pg::search::maintenance_worker`), and [`index_item`] indexes a definition or an example in the transaction that stores it.
//! `locks` says how they share the index.
//!
//! Work is done in stages and batches, each batch committed with its own progress, so that an interruption loses at
//! most one and the next call continues. Changed objects are found by comparing fingerprints of the whole catalog,
//! not by the records of the event triggers, so that nothing is missed while those were disabled.
//!
//! The index is written as its owner. Names, comments and knowledge are read as the owner too. Values are those that
//! one role can read: the caller of `refresh()`, or the role that `crate::pg::search::maintenance::reader` chooses. No lock
//! of a table or snapshot is held during calls of an embedder: documents are read in one transaction and stored in
//! the next; a table that changes in between has another fingerprint and is processed by the next call.

mod begin;
mod catalog_words;
mod changes;
mod distributed;
mod found_values;
mod joins;
mod knowledge;
pub(crate) mod locks;
mod progress;
mod run;
mod second;
mod sent_texts;
mod store;
mod tables;
mod texts;
mod value_meanings;
mod values;
mod vectors;
mod words;
mod writing;

use std::cell::Cell;
use std::time::Instant;

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use self::changes::{FORGET_CHANGES, read_change};
use self::locks::Lock;
use self::run::{Refresh, Way};
pub(crate) use self::second::{build as build_vectors, drop_vectors};
use self::writing::{owner_of_index, refuse_what_is_tried, refuse_where_nothing_can_be_written};
use crate::pg::search::search_index::{
    self, DEFINITIONS, EXAMPLES, VectorSet, embedder, owner, second_embedder,
};
use crate::pg::server::spi;
use crate::pg::server::spi::owner::can_write;
use crate::pg::server::spi::role::{EffectiveRole, with_role};
use text2sql_language::english::counted;

const FINISH: &str = "UPDATE text2sql._index_state SET refreshed_at = clock_timestamp(), refreshed_by = coalesce($1::text::name, refreshed_by), seconds = $2, done = total";
const REBIND: &str = "SELECT text2sql._rebind_knowledge()";
const ALL_CHANGES: &str = "SELECT id, relation FROM text2sql._index_changes";

/// What a run has done, for the user.
struct Done {
    text: String,
    has_changed_tables_or_knowledge: bool,
}

/// Updates the index; with `rebuild`, rebuilds it completely.
pub(crate) fn refresh(rebuild: bool) -> Result<(), Error> {
    refuse_where_nothing_can_be_written("refresh()")?;
    let owner = owner_of_index()?;
    refuse_what_is_tried(&owner)?;
    let caller = EffectiveRole {
        // SAFETY: reads a variable.
        oid: unsafe { pg_sys::GetUserId() },
        is_switched: false,
    };
    let language = search_index::language()?;
    spi::with_commits(|| {
        let _only_caller = Lock::Caller.try_hold().ok_or_else(|| {
            failure!(Setup, "another refresh() is running in this database")
                .with_hint("Wait for it; SELECT * FROM text2sql.status() shows its progress.")
        })?;
        let _no_worker = Lock::Workers.hold();
        let refresh = Refresh::new(Way::Called, owner, caller, &language)?;
        refresh.lock()?;
        refresh.begin(rebuild, None)?;
        let done = refresh.stages(Some(caller.name()), true)?;
        pgrx::notice!("text2sql: {}", done.text);
        Ok(())
    })
}

/// What a background worker is to do.
pub(crate) struct Task {
    /// The owner of the index.
    pub(crate) owner: EffectiveRole,
    /// The role that reads values; `None`: nobody may.
    pub(crate) reader: Option<EffectiveRole>,
    /// What the last worker made the index with, if there was one.
    pub(crate) known_form: Option<String>,
}

/// How a worker's run ended.
pub(crate) enum Maintained {
    /// The index is up to date.
    Whole {
        /// Whether more than values has changed.
        has_changed: bool,
        /// What the index is made with.
        form: String,
    },
    /// Others need the index or the database.
    GaveWay,
}

/// Updates the index, in a background worker.
pub(crate) fn maintain(task: &Task) -> Result<Maintained, Error> {
    let language = search_index::language()?;
    let run = || {
        let reader = task.reader.unwrap_or(task.owner);
        let refresh = Refresh::new(Way::Worker, task.owner, reader, &language)?;
        refresh.lock()?;
        refresh.begin(false, task.known_form.as_deref())?;
        let done = refresh.stages(None, task.reader.is_some())?;
        Ok(Maintained::Whole {
            has_changed: done.has_changed_tables_or_knowledge,
            form: refresh.form(),
        })
    };
    match spi::with_commits(run) {
        Err(error) if run::is_giving_way(&error) => Ok(Maintained::GaveWay),
        outcome => outcome,
    }
}

/// Definitions and examples that one transaction indexes itself; more of them are left to a worker.
const MAX_ITEMS: usize = 50;

thread_local! {
    /// The start of the transaction that indexed items last, and their number.
    static ITEMS: Cell<(i64, usize)> = const { Cell::new((0, 0)) };
}

/// Indexes a definition or example, by id, that this transaction has changed.
///
/// `false` where a worker has to do it after the commit: vectors come from an endpoint, somebody else writes the index,
/// or there are many items. Not to be called in a transaction block: until its end nobody else could write the index.
pub(crate) fn index_item(collection: char, id: i64) -> Result<bool, Error> {
    // SAFETY: both read the state of the transaction.
    let (isolation, transaction) = unsafe {
        (
            pg_sys::XactIsoLevel,
            pg_sys::GetCurrentTransactionStartTimestamp(),
        )
    };
    let count = match ITEMS.get() {
        (known, count) if known == transaction => count,
        _ => 0,
    };
    ITEMS.set((transaction, count + 1));
    if isolation != pg_sys::XACT_READ_COMMITTED.cast_signed() || count >= MAX_ITEMS {
        return Ok(false);
    }
    let Some(owner) = owner().filter(|_| can_write()) else {
        return Ok(false);
    };
    let state = with_role(&owner, search_index::read_state_row)?;
    let Some(state) = state.filter(|state| state.has_form && !embedder::waits()) else {
        return Ok(false);
    };
    let refresh = Refresh::new(Way::Transaction, owner, owner, &state.language)?;
    if refresh.embedder.name() != state.embedder || refresh.lock().is_err() {
        return Ok(false);
    }
    refresh
        .dimensions
        .set(usize::try_from(state.dimensions).unwrap_or(0));
    refresh.knowledge(collection, Some(id))?;
    // The vectors of a second embedder are for the worker.
    Ok(with_role(&owner, second_embedder)?.is_none())
}

/// Whether the statement is in a transaction block or a subtransaction.
pub(crate) fn is_transaction_block() -> bool {
    // SAFETY: reads the state of the transaction.
    unsafe { pg_sys::IsTransactionBlock() }
}

impl Refresh {
    /// All stages, each of which compares the index with its source and commits its batches. `called_by` is the role
    /// that called `refresh()`.
    fn stages(&self, called_by: Option<String>, reads_values: bool) -> Result<Done, Error> {
        let started = Instant::now();
        // As the owner, who sees all knowledge: no other role's refresh would bind it completely.
        self.as_owner(|| spi::execute(REBIND, &[], |_| Ok(())))?;
        self.commit()?;
        // Read before the catalog: what is recorded later remains for the next call.
        let changes = self.as_owner(|| spi::read_rows(ALL_CHANGES, &[], 0, read_change))?;
        let indexed = self.tables()?;
        let definitions = self.knowledge(DEFINITIONS, None)?;
        let examples = self.knowledge(EXAMPLES, None)?;
        if self.has_begun.get() {
            self.words()?;
            let dimensions = i32::try_from(self.dimensions.get()).unwrap_or(0);
            self.build_vector_indexes(VectorSet::Index, dimensions)?;
        }
        let mut text = format!(
            "{indexed}; {}, {}",
            counted(definitions, "definition", "definitions"),
            counted(examples, "example", "examples")
        );
        if reads_values {
            let values = self.values()?;
            text = format!("{text}; {values}");
            if self.has_begun.get() || !values.changed.is_empty() {
                self.joins(&values.changed)?;
            }
        }
        let texts = self.texts()?;
        if texts > 0 {
            text = format!("{text}; {}", counted(texts, "text", "texts"));
        }
        self.update_second()?;
        self.as_owner(|| {
            if !changes.is_empty() {
                spi::write(FORGET_CHANGES, &[changes.into()], |_| Ok(()))?;
            }
            if self.has_begun.get() {
                let seconds = started.elapsed().as_secs_f64();
                spi::write(FINISH, &[called_by.into(), seconds.into()], |_| Ok(()))?;
            }
            Ok::<_, Error>(())
        })?;
        Ok(Done {
            text,
            has_changed_tables_or_knowledge: indexed.is_any() || definitions + examples > 0,
        })
    }
}
