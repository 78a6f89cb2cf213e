//! Keys of a table: its unique columns and its references. Only keys whose columns are all readable by the
//! current user.

use std::collections::VecDeque;

use pgrx::pg_sys;
use text2sql_domain::schema::ForeignKey;

use super::attribute::{Attribute, readable_names};
use super::privileges::{reads_column, reads_table, uses_schema};
use super::rows::for_each;
use crate::pg::server::compat::catalog_columns::constraint;
use crate::pg::server::spi::encoding::text_of;

/// OIDs of `pg_constraint` and of its index over conrelid, contypid, conname.
const CONSTRAINT: u32 = 2606;
const CONSTRAINT_INDEX: u32 = 2665;

/// OIDs of `pg_inherits` and of its index over inhparent, and its columns inhrelid and inhparent.
const INHERITS: u32 = 2611;
const INHERITS_INDEX: u32 = 2187;
const INHERITS_CHILD: u32 = 1;
const INHERITS_PARENT: u32 = 2;

/// The unique keys of a table.
#[derive(Default)]
pub(super) struct UniqueKeys {
    pub(super) primary: Vec<String>,
    /// Every other key once: an index may repeat a constraint or the primary key.
    pub(super) others: Vec<Vec<String>>,
}

/// Constraints and plain unique indexes alike; none with a predicate or an expression, or whose build has not
/// finished.
pub(super) fn unique(relation: pg_sys::Oid, attributes: &[Attribute]) -> UniqueKeys {
    let mut found: Vec<(u32, bool, Vec<String>)> = Vec::new();
    let key = (pg_sys::Anum_pg_index_indrelid, relation);
    // SAFETY: the catalog of indexes and its index by table; the numbers of an index's columns are as
    // many as it says, and none is NULL.
    unsafe {
        for_each(
            pg_sys::IndexRelationId,
            pg_sys::IndexIndrelidIndexId,
            key,
            |row| {
                let form = row.form::<pg_sys::FormData_pg_index>();
                let is_plain = form.indisunique
                    && form.indisvalid
                    && row.is_null(pg_sys::Anum_pg_index_indpred)
                    && row.is_null(pg_sys::Anum_pg_index_indexprs);
                if !is_plain {
                    return;
                }
                let count = usize::try_from(form.indnkeyatts).unwrap_or(0);
                let numbers = form.indkey.values.as_slice(count);
                if let Some(names) = readable_names(numbers, attributes) {
                    found.push((form.indexrelid.to_u32(), form.indisprimary, names));
                }
            },
        );
    }
    found.sort_by_key(|(oid, ..)| *oid);
    let mut keys = UniqueKeys::default();
    if let Some((_, _, names)) = found.iter().find(|(_, is_primary, _)| *is_primary) {
        keys.primary.clone_from(names);
    }
    for (_, is_primary, names) in found {
        if !is_primary && names != keys.primary && !keys.others.contains(&names) {
            keys.others.push(names);
        }
    }
    keys
}

/// Maximum number of partitions whose keys are read.
const MAX_PARTITIONS: usize = 100;

/// A foreign key as the catalog has it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Declared {
    constraint: u32,
    target: u32,
    columns: Vec<i16>,
    target_columns: Vec<i16>,
}

/// The foreign keys, and the tables whose changes change them, readable or not. What partitions declare and a partitioned
/// table does not is a join, but proves nothing: another partition may lack it.
pub(super) fn foreign(
    relation: pg_sys::Oid,
    is_partitioned: bool,
    attributes: &[Attribute],
) -> (Vec<ForeignKey>, Vec<u32>) {
    let own = declared(relation);
    let mut related: Vec<u32> = own.iter().map(|key| key.target).collect();
    let of_own = |key: &Declared| reference(readable_names(&key.columns, attributes)?, key, false);
    let mut keys: Vec<ForeignKey> = own.iter().filter_map(of_own).collect();
    for partition in partitions(relation, is_partitioned) {
        related.push(partition.to_u32());
        for key in declared(partition) {
            related.push(key.target);
            // A partition may have its columns in another order.
            let names = key.columns.iter().map(|number| {
                let name = column_name(partition, *number);
                let found = attributes.iter().find(|known| known.name == name)?;
                found.is_readable.then_some(name)
            });
            let found = names
                .collect::<Option<Vec<_>>>()
                .and_then(|names| reference(names, &key, true));
            let is_new = |found: &ForeignKey| {
                !keys
                    .iter()
                    .any(|known| known.target == found.target && known.columns == found.columns)
            };
            keys.extend(found.filter(is_new));
        }
    }
    (keys, related)
}

/// The keys that a table declares itself.
fn declared(relation: pg_sys::Oid) -> Vec<Declared> {
    let mut rows = Vec::new();
    // SAFETY: the catalog of constraints, its index by table, and the types of its columns.
    unsafe {
        for_each(
            CONSTRAINT.into(),
            CONSTRAINT_INDEX,
            (constraint::RELATION, relation),
            |row| {
                let oid = |column| {
                    row.read::<pg_sys::Oid>(column)
                        .map_or(0, pg_sys::Oid::to_u32)
                };
                let kind = row.read::<i8>(constraint::KIND).map(i8::cast_unsigned);
                // A join on the columns of a temporal key would compare its periods for equality.
                let has_period = constraint::PERIOD
                    .and_then(|column| row.read::<bool>(column))
                    .unwrap_or(false);
                // A constraint with a parent is a partition's copy.
                if kind == Some(b'f') && !has_period && oid(constraint::PARENT) == 0 {
                    rows.push(Declared {
                        constraint: oid(constraint::OID),
                        target: oid(constraint::TARGET),
                        columns: row.read(constraint::COLUMNS).unwrap_or_default(),
                        target_columns: row.read(constraint::TARGET_COLUMNS).unwrap_or_default(),
                    });
                }
            },
        );
    }
    rows.sort_unstable();
    rows
}

/// The partitions of a partitioned table, and theirs.
fn partitions(relation: pg_sys::Oid, is_partitioned: bool) -> Vec<pg_sys::Oid> {
    let mut found = Vec::new();
    let mut parents: VecDeque<pg_sys::Oid> =
        is_partitioned.then_some(relation).into_iter().collect();
    while let Some(parent) = parents.pop_front()
        && found.len() < MAX_PARTITIONS
    {
        let key = (INHERITS_PARENT, parent);
        // SAFETY: the catalog of inheritance, its index by parent, and the type of its first column.
        unsafe {
            for_each(INHERITS.into(), INHERITS_INDEX, key, |row| {
                if let Some(child) = row.read::<pg_sys::Oid>(INHERITS_CHILD)
                    && found.len() < MAX_PARTITIONS
                {
                    found.push(child);
                    parents.push_back(child);
                }
            });
        }
    }
    found
}

fn reference(columns: Vec<String>, key: &Declared, is_taught: bool) -> Option<ForeignKey> {
    let target = Target::of(key.target)?;
    Some(ForeignKey {
        columns,
        target_columns: target.readable_names(&key.target_columns)?,
        target: target.oid.to_u32(),
        target_schema: target.schema,
        target_name: target.name,
        is_taught,
    })
}

/// Empty if there is none.
fn column_name(relation: pg_sys::Oid, number: i16) -> String {
    // SAFETY: a look-up in the cache, which returns a palloc'd name or NULL.
    unsafe { text_of(pg_sys::get_attname(relation, number, true)) }
}

/// A table referenced by a foreign key.
struct Target {
    oid: pg_sys::Oid,
    schema: String,
    name: String,
}

impl Target {
    /// The table, if it is visible to questions.
    fn of(oid: u32) -> Option<Self> {
        let oid = pg_sys::Oid::from(oid);
        let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
        // SAFETY: the row is read between look-up and release; a name ends with NUL.
        let (schema_oid, name, is_table) = unsafe {
            let tuple = pg_sys::SearchSysCache1(cache, oid.into());
            if tuple.is_null() {
                return None;
            }
            let form = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_class>();
            let is_table = matches!(form.relkind.cast_unsigned(), b'r' | b'p');
            let found = (
                form.relnamespace,
                text_of(form.relname.data.as_ptr()),
                is_table && !form.relispartition,
            );
            pg_sys::ReleaseSysCache(tuple);
            found
        };
        // SAFETY: a look-up in the cache, which returns a palloc'd name or NULL.
        let schema = unsafe { text_of(pg_sys::get_namespace_name(schema_oid)) };
        let is_ours = matches!(
            schema.as_str(),
            "text2sql" | "text2sql_eval" | "text2sql_perturbed"
        );
        (is_table && !is_ours && uses_schema(schema_oid)).then_some(Self { oid, schema, name })
    }

    /// Names of its columns, if all of them are readable.
    fn readable_names(&self, numbers: &[i16]) -> Option<Vec<String>> {
        let reads_all = reads_table(self.oid);
        let name = |number: &i16| {
            let is_readable = reads_all || reads_column(self.oid, *number);
            let name = column_name(self.oid, *number);
            (is_readable && !name.is_empty()).then_some(name)
        };
        numbers.iter().map(name).collect()
    }
}
