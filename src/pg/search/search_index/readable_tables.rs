//! The tables of a large catalog that the caller can read.
//!
//! There are two kinds of roles. For a role that can read most tables, privileges are checked table by table
//! and cached for the session until they may have changed. For a role that can read only a few tables, the
//! index behaves as if no other table existed: the tables are found from the role's grants, and totals,
//! postings and vectors are restricted to them. So for neither the result is worse because of tables that it
//! cannot see, and neither has to process them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Joining, Readable, Totals};

use super::storage::totals_of;
use crate::pg::access::catalog::{PlainTable, READABLE, catalog_generation, shown_columns};
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

static READABLE_OF: LazyLock<String> = LazyLock::new(|| {
    include_str!("../../../../sql/queries/readable_of.sql")
        .replace("%READABLE%", READABLE.trim_end())
});
const FEW_READABLE: &str = include_str!("../../../../sql/queries/few_readable.sql");
const TOTALS: &str = "SELECT sum(d.totals[1])::int8, sum(d.totals[2])::int8, sum(d.totals[3])::int8, sum(d.totals[4])::int8
     FROM text2sql._index_documents d WHERE d.collection = 's' AND d.item = ANY ($1)";

const IN_ORDER: &str = "SELECT coalesce(array_agg(c.oid ORDER BY n.nspname, c.relname), '{}')
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY ($1)";

/// Up to this many tables a role is narrow: as many privilege checks take a few milliseconds, once in a
/// session.
const MAX_FEW: i64 = 1_000;

/// Maximum number of tables whose readability a session caches: some hundred bytes each.
const MAX_REMEMBERED: usize = 20_000;

/// Maximum number of keys whose values a session caches: up to a kilobyte each.
const MAX_KEYS: usize = 1_000;

/// The few tables that a role can read.
#[derive(Debug)]
pub(super) struct Few {
    /// The tables.
    pub(super) tables: HashMap<u32, Readable>,
    /// Totals over the indexed ones among them.
    pub(super) totals: Totals,
}

/// What is cached for one role.
#[derive(Default)]
struct Known {
    role: u32,
    /// The state of the catalog when it was read.
    generation: u64,
    /// The state of the index: when it was refreshed.
    index: String,
    /// Whether, and what, the role can read of the tables checked so far.
    tables: HashMap<u32, Option<Readable>>,
    /// Joins visible to the role, by the tables checked so far.
    joins: HashMap<u32, Vec<Joining>>,
    /// `None`: not yet known. `Some(None)`: the role is not narrow.
    few: Option<Option<Rc<Few>>>,
    /// The same by schema and name, once needed.
    in_order: Option<Rc<[u32]>>,
    /// Values in columns that the role can read, by the keys searched so far.
    values: HashMap<ValueKey, Vec<StoredValue>>,
}

/// A key of values, and how many were wanted.
pub(super) type ValueKey = (String, usize);

/// Table, column and value.
pub(super) type StoredValue = (u32, i16, String);

thread_local! {
    /// Never borrowed while a query runs: a query may raise.
    static KNOWN: RefCell<Known> = RefCell::new(Known::default());
}

/// Discards the cache unless it is for this role, catalog and index.
pub(super) fn prepare(role: &EffectiveRole, index: &str) {
    let generation = catalog_generation();
    KNOWN.with_borrow_mut(|known| {
        let role = role.oid.to_u32();
        if known.role != role
            || known.generation != generation
            || known.index != index
            || known.tables.len().max(known.joins.len()) > MAX_REMEMBERED
            || known.values.len() > MAX_KEYS
        {
            *known = Known {
                role,
                generation,
                index: index.to_owned(),
                ..Known::default()
            };
        }
    });
}

/// The cached joins of the tables, for this role, catalog and index. After [`prepare`].
pub(super) fn remembered_joins<T>(work: impl FnOnce(&mut HashMap<u32, Vec<Joining>>) -> T) -> T {
    KNOWN.with_borrow_mut(|known| work(&mut known.joins))
}

/// The cached values by their keys, for this role, catalog and index. After [`prepare`].
pub(super) fn remembered_values<T>(
    work: impl FnOnce(&mut HashMap<ValueKey, Vec<StoredValue>>) -> T,
) -> T {
    KNOWN.with_borrow_mut(|known| work(&mut known.values))
}

/// The few tables that the role can read; `None` when they are many. After [`prepare`].
pub(super) fn few(owner: &EffectiveRole, role: &EffectiveRole) -> Result<Option<Rc<Few>>, Error> {
    if let Some(few) = KNOWN.with_borrow(|known| known.few.clone()) {
        return Ok(few);
    }
    let arguments = [role.oid.into(), MAX_FEW.into()];
    let possible: Option<Vec<Oid>> = with_role(owner, || spi::read_one(FEW_READABLE, &arguments))?;
    let few = match possible {
        None => None,
        Some(possible) => {
            let readable = ask(role, possible)?;
            let tables: Vec<Oid> = readable.iter().map(|one| Oid::from(one.table)).collect();
            let sums = with_role(owner, || {
                spi::read_rows(TOTALS, &[tables.into()], 1, |row| {
                    (1..=4)
                        .map(|place| Ok(row.read::<i64>(place)?.unwrap_or(0)))
                        .collect::<Result<Vec<i64>, Error>>()
                })
            })?;
            let sums = sums.into_iter().next().unwrap_or_default();
            Some(Rc::new(Few {
                tables: readable.into_iter().map(|one| (one.table, one)).collect(),
                totals: totals_of(&sums),
            }))
        }
    };
    KNOWN.with_borrow_mut(|known| known.few = Some(few.clone()));
    Ok(few)
}

/// The few tables that the role can read, by schema and name; `None` when they are many. After [`prepare`].
pub(super) fn few_in_order(
    owner: &EffectiveRole,
    role: &EffectiveRole,
) -> Result<Option<Rc<[u32]>>, Error> {
    let Some(few) = few(owner, role)? else {
        return Ok(None);
    };
    if let Some(known) = KNOWN.with_borrow(|known| known.in_order.clone()) {
        return Ok(Some(known));
    }
    let tables: Vec<Oid> = few.tables.keys().map(|table| Oid::from(*table)).collect();
    let tables: Option<Vec<Oid>> = spi::read_one(IN_ORDER, &[tables.into()])?;
    let tables = tables.into_iter().flatten().map(Oid::to_u32);
    let in_order: Rc<[u32]> = tables.collect();
    KNOWN.with_borrow_mut(|known| known.in_order = Some(Rc::clone(&in_order)));
    Ok(Some(in_order))
}

/// The tables among these that the role can read. After [`prepare`].
pub(super) fn readable(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    tables: &[u32],
) -> Result<Vec<Readable>, Error> {
    if let Some(few) = few(owner, role)? {
        let known = tables.iter().filter_map(|table| few.tables.get(table));
        return Ok(known.cloned().collect());
    }
    let unknown: Vec<Oid> = KNOWN.with_borrow(|known| {
        let unknown = tables
            .iter()
            .filter(|table| !known.tables.contains_key(table));
        unknown.map(|table| Oid::from(*table)).collect()
    });
    if !unknown.is_empty() {
        let readable = ask(role, unknown.clone())?;
        KNOWN.with_borrow_mut(|known| {
            let none = unknown.into_iter().map(|oid| (oid.to_u32(), None));
            known.tables.extend(none);
            let some = readable.into_iter().map(|one| (one.table, Some(one)));
            known.tables.extend(some);
        });
    }
    Ok(KNOWN.with_borrow(|known| {
        let found = tables.iter().filter_map(|table| known.tables.get(table));
        found.flatten().cloned().collect()
    }))
}

fn ask(role: &EffectiveRole, tables: Vec<Oid>) -> Result<Vec<Readable>, Error> {
    let readable = with_role(role, || {
        let (mut readable, mut others) = (Vec::with_capacity(tables.len()), Vec::new());
        for table in tables {
            match PlainTable::of(table.to_u32()) {
                Some(plain) => readable.push(Readable {
                    table: table.to_u32(),
                    schema: plain.schema,
                    columns: None,
                }),
                None => others.push(table),
            }
        }
        if !others.is_empty() {
            readable.extend(spi::read_rows(&READABLE_OF, &[others.into()], 0, |row| {
                Ok(Readable {
                    table: row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
                    schema: row.read::<Oid>(2)?.map_or(0, Oid::to_u32),
                    columns: row.read(3)?,
                })
            })?);
        }
        Ok::<_, Error>(readable)
    })?;
    // Hidden and out-of-scope tables are treated as nonexistent.
    let mut shown = Vec::with_capacity(readable.len());
    for one in readable {
        if let Some(columns) = shown_columns(one.table, one.columns)? {
            shown.push(Readable { columns, ..one });
        }
    }
    Ok(shown)
}
