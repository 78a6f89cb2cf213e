//! What changed in the catalog since the last check, from PostgreSQL's invalidation messages.
//!
//! A callback may be called at any moment in which a message is read, also while a transaction aborts: it must
//! neither raise an error nor allocate memory. It therefore only records messages in arrays of fixed size,
//! which the next question processes. Messages that arrive while a question reads the catalog are recorded too,
//! and invalidate at the next question what this one cached.
//!
//! | message | sent by | what it invalidates |
//! |---|---|---|
//! | relation | DDL on a table, `GRANT` on it or its columns, `COMMENT ON`, ANALYZE, policies, keys | the table, those whose foreign keys or row types lead to it, every search |
//! | relation, of the search index | a trigger of the tables that hold its state | that state |
//! | `STATRELATTINH` | ANALYZE where the row count stays | the table |
//! | `TYPEOID` | DDL on a domain, an enum or a row type | tables with a column of it |
//! | `ENUMOID`, `NAMESPACEOID`, `AUTHOID`, `AUTHMEMMEMROLE`, `DATABASEOID`, `EVENTTRIGGEROID` | labels, schemas and USAGE on them, roles, membership, ownership of the database, whether comments send messages | everything: rare, and anything may depend on them |

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use pgrx::pg_sys;

use super::read::ReadTable;
use crate::pg::access::objects::FIRST_USER_OID;

/// Maximum number of messages of one kind recorded between two questions; more of them invalidate everything.
/// 4,096 is a thousand new tables (each sends its own message and those of its types), in 16 kB.
const MAX_NOTES: usize = 4096;

struct Notes {
    count: Cell<usize>,
    values: RefCell<[u32; MAX_NOTES]>,
}

impl Notes {
    const fn new() -> Self {
        Self {
            count: Cell::new(0),
            values: RefCell::new([0; MAX_NOTES]),
        }
    }

    /// Records the value; `false` when the array is full.
    fn add(&self, value: u32) -> bool {
        let count = self.count.get();
        let Ok(mut values) = self.values.try_borrow_mut() else {
            return false;
        };
        let Some(place) = values.get_mut(count) else {
            return false;
        };
        *place = value;
        self.count.set(count + 1);
        true
    }

    fn take(&self) -> HashSet<u32> {
        let values = self.values.borrow();
        values.iter().take(self.count.replace(0)).copied().collect()
    }
}

thread_local! {
    // None of these has a destructor, so a callback during the session's end still finds them.
    static IS_REGISTERED: Cell<bool> = const { Cell::new(false) };
    static EVERYTHING: Cell<bool> = const { Cell::new(false) };
    static RELATIONS: Notes = const { Notes::new() };
    static TYPES: Notes = const { Notes::new() };
    static STATISTICS: Notes = const { Notes::new() };
    /// The tables whose triggers say that the state of the search index changed, and whether one did.
    static OF_INDEX: Cell<[u32; 4]> = const { Cell::new([0; 4]) };
    static INDEX: Cell<bool> = const { Cell::new(true) };
}

/// What changed since the last check.
pub(super) struct Changes {
    everything: bool,
    relations: HashSet<u32>,
    types: HashSet<u32>,
    statistics: HashSet<u32>,
}

impl Changes {
    /// Whether nothing that is cached can be trusted.
    pub(super) fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether this relation changed.
    pub(super) fn has_relation(&self, oid: u32) -> bool {
        self.relations.contains(&oid)
    }

    /// The relations that changed.
    pub(super) fn relations(&self) -> impl Iterator<Item = u32> + '_ {
        self.relations.iter().copied()
    }

    /// Whether a relation changed, or appeared.
    pub(super) fn has_relations(&self) -> bool {
        !self.relations.is_empty()
    }

    /// Whether the table, or what its description rests on, is among the changes.
    pub(super) fn concern(&self, oid: u32, watched: &Watched) -> bool {
        let any = |changed: &HashSet<u32>, seen: &[u32]| {
            !changed.is_empty() && seen.iter().any(|value| changed.contains(value))
        };
        self.relations.contains(&oid)
            || any(&self.relations, &watched.relations)
            || any(&self.types, &watched.types)
            || any(&self.statistics, &watched.statistics)
    }
}

/// What a table's description depends on besides the table itself.
pub(super) struct Watched {
    relations: Box<[u32]>,
    /// Hashes, as the messages name types.
    types: Box<[u32]>,
    /// Hashes, as the messages name rows of `pg_statistic`.
    statistics: Box<[u32]>,
}

impl Watched {
    /// What the table depends on.
    pub(super) fn of(read: &ReadTable) -> Self {
        let columns = read.table.columns.iter().map(|column| column.number);
        Self {
            relations: read.related.as_slice().into(),
            types: read
                .type_oids
                .iter()
                .map(|oid| {
                    hash(
                        pg_sys::SysCacheIdentifier::TYPEOID,
                        [(*oid).into(), 0.into(), 0.into()],
                    )
                })
                .collect(),
            statistics: columns
                .flat_map(|number| {
                    [false, true].map(|is_inherited| {
                        hash(
                            pg_sys::SysCacheIdentifier::STATRELATTINH,
                            [read.table.oid.into(), number.into(), is_inherited.into()],
                        )
                    })
                })
                .collect(),
        }
    }

    /// Includes other relations.
    pub(super) fn also(&mut self, others: &[u32]) {
        let mut relations = std::mem::take(&mut self.relations).into_vec();
        relations.extend(others);
        self.relations = relations.into_boxed_slice();
    }

    /// Approximate heap size.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + (self.relations.len() + self.types.len() + self.statistics.len()) * size_of::<u32>()
    }
}

/// Registers the callbacks, once per session; PostgreSQL has no way to unregister them.
pub(super) fn register() {
    if IS_REGISTERED.replace(true) {
        return;
    }
    // SAFETY: the tables of callbacks have room, 10 for relations and 64 for other caches,
    // and a full one is a FATAL; the functions live as long as the library, which is never unloaded.
    unsafe {
        pg_sys::CacheRegisterRelcacheCallback(Some(note_relation), 0.into());
        for cache in [
            pg_sys::SysCacheIdentifier::TYPEOID,
            pg_sys::SysCacheIdentifier::STATRELATTINH,
            pg_sys::SysCacheIdentifier::ENUMOID,
            pg_sys::SysCacheIdentifier::NAMESPACEOID,
            pg_sys::SysCacheIdentifier::AUTHOID,
            pg_sys::SysCacheIdentifier::AUTHMEMMEMROLE,
            pg_sys::SysCacheIdentifier::DATABASEOID,
            pg_sys::SysCacheIdentifier::EVENTTRIGGEROID,
        ] {
            pg_sys::CacheRegisterSyscacheCallback(cache as i32, Some(note_row), 0.into());
        }
    }
}

/// The changes recorded since the last call; `None` if there are none.
pub(super) fn take_changes() -> Option<Changes> {
    let changes = Changes {
        everything: EVERYTHING.replace(false),
        relations: RELATIONS.with(Notes::take),
        types: TYPES.with(Notes::take),
        statistics: STATISTICS.with(Notes::take),
    };
    let is_nothing = !changes.everything
        && changes.relations.is_empty()
        && changes.types.is_empty()
        && changes.statistics.is_empty();
    (!is_nothing).then_some(changes)
}

/// Whether the state of the search index may have changed since the last call. From now on, messages about `tables`
/// say so, and invalidate nothing else: while the index is built there are many of them.
pub(super) fn take_change_of_index(tables: [u32; 4]) -> bool {
    let are_same = OF_INDEX.replace(tables) == tables;
    INDEX.replace(false) || !are_same
}

/// # Safety
///
/// Called by PostgreSQL only, on the main thread.
unsafe extern "C-unwind" fn note_relation(_argument: pg_sys::Datum, relation: pg_sys::Oid) {
    let oid = relation.to_u32();
    let is_of_index = OF_INDEX.get().contains(&oid);
    if is_of_index {
        INDEX.set(true);
    }
    if is_of_index && oid != 0 {
        return;
    }
    // 0 means all relations.
    if oid == 0 || (oid >= FIRST_USER_OID && !RELATIONS.with(|notes| notes.add(oid))) {
        EVERYTHING.set(true);
        INDEX.set(true);
    }
}

/// # Safety
///
/// Called by PostgreSQL only, on the main thread.
unsafe extern "C-unwind" fn note_row(_argument: pg_sys::Datum, cache: i32, hash: u32) {
    // 0 means all rows.
    let is_noted = hash != 0
        && if cache == pg_sys::SysCacheIdentifier::TYPEOID as i32 {
            TYPES.with(|notes| notes.add(hash))
        } else if cache == pg_sys::SysCacheIdentifier::STATRELATTINH as i32 {
            STATISTICS.with(|notes| notes.add(hash))
        } else {
            false
        };
    if !is_noted {
        EVERYTHING.set(true);
    }
}

/// The hash that identifies the row with these keys in a message.
fn hash(
    cache: pg_sys::SysCacheIdentifier::Type,
    [first, second, third]: [pg_sys::Datum; 3],
) -> u32 {
    // SAFETY: as many keys as the cache has, of its types; the rest is not read.
    unsafe { pg_sys::GetSysCacheHashValue(cache as i32, first, second, third, 0.into()) }
}
