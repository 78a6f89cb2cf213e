//! What the extension Citus adds to a database. Every look-up here ends at once where Citus is not installed.
//!
//! Citus keeps the rows of a distributed table in shards: tables with names such as `orders_102008`, which have the
//! grants of their table but none of its protections. Some lie on the coordinator.

use std::ffi::CStr;
use text2sql_domain::words;

use pgrx::{FromDatum, pg_sys};

use crate::pg::server::spi::encoding::text_of;
use crate::pg::server::spi::extensions::has_citus;

/// Its extensions: the second has tables with columns stored together.
const EXTENSIONS: [&str; 2] = ["citus", "citus_columnar"];

/// Functions that Citus puts into plans by itself. A statement may never call them: `fetch_intermediate_results`
/// opens a connection to any host.
const INTERNAL_FUNCTIONS: [&str; 13] = *words!(
    "read_intermediate_result, read_intermediate_results, fetch_intermediate_results, \
     worker_partition_query_result, relation_is_a_known_shard, worker_partial_agg, \
     worker_partial_agg_sfunc, worker_partial_agg_ffunc, coord_combine_agg, \
     coord_combine_agg_sfunc, coord_combine_agg_ffunc, jsonb_cat_agg, json_cat_agg"
);

/// Whether that extension is one of Citus'.
pub(crate) fn is_extension(name: &str) -> bool {
    EXTENSIONS.contains(&name)
}

/// Whether Citus itself calls that function of its own in plans.
pub(crate) fn is_internal_function(extension: &str, name: &str) -> bool {
    extension == "citus" && INTERNAL_FUNCTIONS.contains(&name)
}

/// Whether the relation is a shard of a distributed table, or one in which Citus keeps its own books.
pub(crate) fn is_internal_relation(oid: pg_sys::Oid, schema: &str, name: &str) -> bool {
    is_bookkeeping(oid, schema) || is_shard(oid, name)
}

fn is_bookkeeping(oid: pg_sys::Oid, schema: &str) -> bool {
    if !matches!(
        schema,
        "columnar" | "columnar_internal" | "citus" | "citus_internal"
    ) {
        return false;
    }
    // SAFETY: look-ups in the caches; no extension returns InvalidOid, whose name is NULL.
    let extension = unsafe {
        let extension = pg_sys::getExtensionOfObject(pg_sys::RelationRelationId, oid);
        text_of(pg_sys::get_extension_name(extension))
    };
    is_extension(&extension)
}

/// Whether the relation is a shard: its name ends with the number of one, and the table of that shard is in the same
/// schema and has the beginning of that name.
fn is_shard(oid: pg_sys::Oid, name: &str) -> bool {
    let Some((table, shard)) = table_and_shard(name) else {
        return false;
    };
    if !has_citus() {
        return false;
    }
    let Some(of) = table_of_shard(shard) else {
        return false;
    };
    // SAFETY: look-ups in the caches; a table that was dropped meanwhile has no name.
    let (is_same_schema, table_name) = unsafe {
        (
            pg_sys::get_rel_namespace(of) == pg_sys::get_rel_namespace(oid),
            text_of(pg_sys::get_rel_name(of)),
        )
    };
    is_same_schema && (table_name == table || is_shortened(name, &table_name))
}

/// Takes the name of a shard apart.
fn table_and_shard(name: &str) -> Option<(&str, i64)> {
    let (table, number) = name.rsplit_once('_')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    Some((table, number.parse().ok().filter(|_| is_number)?))
}

/// Citus shortens a long name to its beginning, a hash, and the number of the shard.
fn is_shortened(name: &str, table: &str) -> bool {
    let longest = pg_sys::NAMEDATALEN as usize - 1;
    name.len() == longest && name.bytes().take(8).eq(table.bytes().take(8))
}

/// The distributed table of a shard.
fn table_of_shard(shard: i64) -> Option<pg_sys::Oid> {
    let of = Row {
        schema: c"pg_catalog",
        table: c"pg_dist_shard",
        index: c"pg_dist_shard_shardid_index",
        key_column: 2,
        equals: pg_sys::F_INT8EQ,
    };
    of.read(pg_sys::Datum::from(shard), |row| row.column(1))?
}

/// How the rows of a table are spread over machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Distribution {
    /// By the values of that column.
    By(String),
    /// Every machine has all of them.
    Everywhere,
    /// They all lie in one shard, on one machine.
    OneShard,
}

/// How the rows of the table are spread; `None` if they lie in the table itself.
pub(crate) fn distribution(oid: pg_sys::Oid) -> Option<Distribution> {
    of_table(oid, |row| {
        let method: i8 = row.column(2)?;
        let key: Option<String> = row.column(3);
        let colocation: i32 = row.column(4)?;
        let replication: i8 = row.column(5)?;
        match (method.cast_unsigned(), replication.cast_unsigned()) {
            (b'n', b't') => Some(Distribution::Everywhere),
            // A local table that Citus knows of.
            (b'n', _) if colocation == 0 => None,
            (b'n', _) => Some(Distribution::OneShard),
            _ => Some(Distribution::By(column_of_key(oid, &key?)?)),
        }
    })?
}

/// Reads what Citus stores of a table whose rows are in shards; `None` for another.
fn of_table<T>(oid: pg_sys::Oid, read: impl FnOnce(&Found) -> T) -> Option<T> {
    if oid.to_u32() < pg_sys::FirstNormalObjectId {
        return None;
    }
    // Looks for a table of Citus, which the syscache answers, and not for the extension, which would read a catalog.
    let of = Row {
        schema: c"pg_catalog",
        table: c"pg_dist_partition",
        index: c"pg_dist_partition_logical_relid_index",
        key_column: 1,
        equals: pg_sys::F_OIDEQ,
    };
    of.read(pg_sys::Datum::from(oid), read)
}

/// What `refresh()` found out about a table whose rows are in shards.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Counts {
    /// Estimated number of rows.
    pub(crate) rows: f64,
    /// Number, share of NULL and number of distinct values of each column that was counted.
    pub(crate) columns: Vec<(i16, f64, Option<f64>)>,
}

/// What is known of the table; `None` if its rows are here, or if nobody has counted them.
pub(crate) fn counts(oid: pg_sys::Oid) -> Option<Counts> {
    of_table(oid, |_| ())?;
    let of = Row {
        schema: c"text2sql",
        table: c"_index_distributed_tables",
        index: c"_index_distributed_tables_pkey",
        key_column: 1,
        equals: pg_sys::F_OIDEQ,
    };
    of.read(pg_sys::Datum::from(oid), |row| {
        let numbers: Vec<i16> = row.column(3).unwrap_or_default();
        let null_shares: Vec<f64> = row.column(4).unwrap_or_default();
        let distinct: Vec<Option<f64>> = row.column(5).unwrap_or_default();
        let columns = numbers.into_iter().zip(null_shares).zip(distinct);
        Some(Counts {
            rows: row.column(2)?,
            columns: columns
                .map(|((number, null_share), distinct)| (number, null_share, distinct))
                .collect(),
        })
    })?
}

/// The column of a key, which Citus stores as the text of a node: `{VAR :varno 1 :varattno 2 …`.
fn column_of_key(table: pg_sys::Oid, key: &str) -> Option<String> {
    let (_, number) = key.split_once(":varattno ")?;
    let number = number.split(' ').next()?.parse().ok()?;
    // SAFETY: a look-up in the cache; with `true` an unknown column is NULL, whose text is empty.
    let name = unsafe { text_of(pg_sys::get_attname(table, number, true)) };
    Some(name).filter(|name| !name.is_empty())
}

/// A table of Citus' in `pg_catalog` or of the extension in its schema, where nobody else makes tables, and its index on
/// one column.
struct Row {
    schema: &'static CStr,
    table: &'static CStr,
    index: &'static CStr,
    key_column: pg_sys::AttrNumber,
    equals: u32,
}

/// A row that was found.
struct Found {
    tuple: pg_sys::HeapTuple,
    descriptor: pg_sys::TupleDesc,
}

impl Found {
    /// The value of a column; `None` is NULL.
    fn column<T: FromDatum>(&self, number: std::ffi::c_int) -> Option<T> {
        let mut is_null = true;
        // SAFETY: a row of the table with that descriptor; the value is copied.
        unsafe {
            let datum = pg_sys::heap_getattr(self.tuple, number, self.descriptor, &mut is_null);
            T::from_datum(datum, is_null)
        }
    }
}

impl Row {
    /// Reads the row with that key; `None` where there is none, or no such table.
    fn read<T>(&self, key: pg_sys::Datum, read: impl FnOnce(&Found) -> T) -> Option<T> {
        let lock = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
        // SAFETY: inside a transaction. The relation has the columns that Citus has given it since its version 8, or that
        // the extension gives it. The row is read before the scan ends; what is opened is closed below or, after an ERROR, with
        // the (sub)transaction.
        unsafe {
            let schema = pg_sys::get_namespace_oid(self.schema.as_ptr(), true);
            let table = pg_sys::get_relname_relid(self.table.as_ptr(), schema);
            let index = pg_sys::get_relname_relid(self.index.as_ptr(), schema);
            if table == pg_sys::InvalidOid || index == pg_sys::InvalidOid {
                return None;
            }
            let relation = pg_sys::table_open(table, lock);
            let mut keys = [pg_sys::ScanKeyData::default(); 1];
            pg_sys::ScanKeyInit(
                keys.as_mut_ptr(),
                self.key_column,
                pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber,
                self.equals.into(),
                key,
            );
            let scan = pg_sys::systable_beginscan(
                relation,
                index,
                true,
                std::ptr::null_mut(),
                1,
                keys.as_mut_ptr(),
            );
            let tuple = pg_sys::systable_getnext(scan);
            let found = (!tuple.is_null()).then(|| {
                read(&Found {
                    tuple,
                    descriptor: (*relation).rd_att,
                })
            });
            pg_sys::systable_endscan(scan);
            pg_sys::table_close(relation, lock);
            found
        }
    }
}
