//! The state of the search index, which a session remembers until it changes.

use std::cell::RefCell;
use std::rc::Rc;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{IndexState, MAX_STALE, Totals};

use super::storage::{FORMAT, totals_of};
use super::vector_set::SecondEmbedder;
use crate::pg::access::catalog::generation_and_change_of_index;
use crate::pg::access::objects::own_tables::own_table;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::has_no_block;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const STATE: &str = include_str!("../../../../sql/queries/index_state.sql");

/// The tables that [`STATE`] reads; a trigger of each says when it changed.
const TABLES: [&std::ffi::CStr; 4] = [
    c"_index_state",
    c"_index_totals",
    c"_index_changes",
    c"_second_embedder",
];

/// The result of reading the state.
pub(super) struct Stored {
    /// Identifies this state of the index.
    pub(super) stamp: String,
    /// Identifies the state of definitions and examples in it.
    pub(super) knowledge: String,
    pub(super) state: IndexState,
    pub(super) second: Option<Second>,
}

/// The second embedder, whose vectors are built.
pub(super) struct Second {
    pub(super) embedder: SecondEmbedder,
    /// Identifies this state of its vectors, together with that of the index.
    pub(super) stamp: String,
}

/// What was read, and the generation of the catalog then: tables of the state may have been dropped since.
struct Known {
    generation: u64,
    stored: Option<Rc<Stored>>,
}

thread_local! {
    /// Never borrowed while a query runs.
    static KNOWN: RefCell<Option<Known>> = const { RefCell::new(None) };
}

/// The state of the index; `None` if it was never built.
pub(super) fn stored(owner: &EffectiveRole) -> Result<Option<Rc<Stored>>, Error> {
    let tables = TABLES.map(|table| own_table(table).map_or(0, Oid::to_u32));
    let (generation, has_changed) = generation_and_change_of_index(tables);
    let known = KNOWN.with_borrow_mut(|known| {
        // Not kept while it is read: a query may raise.
        let still = |known: &Known| !has_changed && known.generation == generation;
        if !known.as_ref().is_some_and(still) {
            *known = None;
        }
        known.as_ref().map(|known| known.stored.clone())
    });
    if let Some(stored) = known {
        return Ok(stored);
    }
    let stored = match has_no_block(TABLES[0]) {
        true => None,
        false => with_role(owner, || {
            spi::read_rows(STATE, &[FORMAT.into()], 1, read_stored)
        })?
        .pop(),
    };
    let stored = stored.map(Rc::new);
    KNOWN.set(Some(Known {
        generation,
        stored: stored.clone(),
    }));
    Ok(stored)
}

fn read_stored(row: &spi::Row) -> Result<Stored, Error> {
    let totals =
        |place| Ok::<Totals, Error>(totals_of(&row.read::<Vec<i64>>(place)?.unwrap_or_default()));
    let stale: Vec<Oid> = row.read(8)?.unwrap_or_default();
    let stamp: String = row.read(1)?.unwrap_or_default();
    let second = match row.read::<String>(10)? {
        None => None,
        Some(model) => Some(Second {
            embedder: SecondEmbedder {
                model,
                embedder: row.read(11)?.unwrap_or_default(),
                dimensions: row.read(12)?.unwrap_or_default(),
                is_built: true,
            },
            stamp: format!("{stamp} {}", row.read::<String>(13)?.unwrap_or_default()),
        }),
    };
    Ok(Stored {
        stamp,
        second,
        knowledge: row.read(9)?.unwrap_or_default(),
        state: IndexState {
            embedder: row.read(2)?.unwrap_or_default(),
            dimensions: usize::try_from(row.read::<i32>(3)?.unwrap_or(0)).unwrap_or(0),
            language: row.read(4)?.unwrap_or_default(),
            schema: totals(5)?,
            definitions: totals(6)?,
            examples: totals(7)?,
            stale: stale.into_iter().take(MAX_STALE).map(Oid::to_u32).collect(),
        },
    })
}
