//! Nearest neighbor search through pgvector.
//!
//! pgvector may be in any schema, and its index needs the length of the vectors in the query: the query text is
//! built once for each combination, and kept, like its plan.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::CStr;

use pgrx::datum::DatumWithOid;
use pgrx::pg_sys::{self, Oid};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::Near;
use text2sql_retrieval::vectors::{MAX_COMPARED, NEAREST_TABLES};

use super::storage::{SCHEMA, can_be_indexed, distance_sql, vector_schema};
use super::vector_set::VectorSet;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

/// The settings of the HNSW scan. Iterative: what the caller cannot read is filtered out, and the scan
/// continues until there are enough results, or this many were considered.
const SCAN_SETTINGS: &[(&CStr, &CStr)] = &[
    (c"hnsw.ef_search", c"100"),
    (c"hnsw.iterative_scan", c"relaxed_order"),
    (c"hnsw.max_scan_tuples", c"20000"),
    // Leaves the index as the only way to order the result.
    (c"enable_sort", c"off"),
];

/// The graph of tables is small, and fewer of them are wanted.
const OF_TABLES: &[(&CStr, &CStr)] = &[(c"hnsw.ef_search", c"64")];

/// Maximum number of items returned by the index. In reciprocal rank fusion the hundredth counts a third of the
/// first, and each further hundred of 10,000 vectors costs as much as all postings of the question.
const MAX_INDEXED: usize = 100;

/// The nearest tables through the index, each with the nearest of its columns. Only tables are in the index: the text of
/// a table has the names of its columns, and twenty times the vectors would be a graph of twenty times the size, most
/// pages of which a question would read for the first time.
const TABLES_THEN_COLUMNS: &str = include_str!("../../../../sql/queries/nearest_tables.sql");

/// Schema of pgvector, length of the vectors, and what is searched how.
type Query = (String, i32, VectorSet, Way);

thread_local! {
    static QUERIES: RefCell<HashMap<Query, &'static str>> = RefCell::new(HashMap::new());
}

/// How the vectors are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// Through the index, only what the role can read.
    Indexed(char),
    /// All of the collection.
    All,
    /// Those of a list of items.
    Listed,
}

/// The nearest units: of the tables listed, or of all that the role can read.
pub(super) fn nearest(
    owner: &EffectiveRole,
    role: &EffectiveRole,
    set: VectorSet,
    collection: char,
    listed: Option<Vec<Oid>>,
    vector: &[f32],
    limit: usize,
) -> Result<Vec<Near>, Error> {
    let dimensions = i32::try_from(vector.len()).unwrap_or(0);
    with_role(owner, || {
        let schema = vector_schema()?;
        let has_index = can_be_indexed(dimensions)
            && spi::read_one::<Oid>(
                "SELECT to_regclass($1)::oid",
                &[format!("text2sql.{}_{collection}_hnsw", set.items()).into()],
            )?
            .is_some();
        let listed = listed.filter(|tables| !has_index || tables.len() <= MAX_COMPARED);
        let way = match (&listed, has_index) {
            (Some(_), _) => Way::Listed,
            (None, true) => Way::Indexed(collection),
            (None, false) => Way::All,
        };
        let sql = query(&schema, dimensions, set, way);
        let limit = super::joins::most(match way {
            Way::Indexed(SCHEMA) => NEAREST_TABLES,
            Way::Indexed(_) => limit.min(MAX_INDEXED),
            Way::All | Way::Listed => limit,
        });
        let vector: DatumWithOid<'_> = vector.to_vec().into();
        let name = collection.to_string();
        let arguments = match listed {
            Some(listed) => vec![vector, limit, name.into(), listed.into()],
            None => vec![vector, limit, name.into(), role.oid.into()],
        };
        let read = |row: &spi::Row| {
            Ok(Near {
                item: row.read::<Oid>(1)?.map_or(0, Oid::to_u32),
                unit: row.read(2)?.unwrap_or_default(),
                similarity: row.read::<f64>(3)?.unwrap_or_default() as f32,
            })
        };
        let mut near = match way {
            Way::Indexed(collection) => {
                let own: &[_] = if collection == SCHEMA { OF_TABLES } else { &[] };
                spi::with_settings(&[available(&schema)?, own], || {
                    spi::read_rows(sql, &arguments, 0, read)
                })?
            }
            Way::All | Way::Listed => spi::read_rows(sql, &arguments, 0, read)?,
        };
        // An iterative scan returns an approximate order, and equal distances in any order.
        near.sort_by(Near::best_first);
        Ok(near)
    })
}

/// Whether the role may read the table, or a column of it.
const MAY_READ: &str = "(has_table_privilege($4, v.item, 'SELECT') OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = v.item AND a.attnum > 0 AND a.attacl IS NOT NULL AND has_column_privilege($4, v.item, a.attnum, 'SELECT')))";

/// The query for a kind of search; built once in a session.
fn query(schema: &str, dimensions: i32, set: VectorSet, way: Way) -> &'static str {
    let key = (schema.to_owned(), dimensions, set, way);
    if let Some(sql) = QUERIES.with_borrow(|queries| queries.get(&key).copied()) {
        return sql;
    }
    let distance = distance_sql(schema, "v", dimensions, matches!(way, Way::Indexed(_)));
    let vectors = set.items();
    let first_where = |filter: String| {
        format!(
            "SELECT v.item, v.unit, 1 - ({distance}) FROM text2sql.{vectors} v WHERE {filter} ORDER BY {distance} LIMIT $2"
        )
    };
    let sql = match way {
        Way::Indexed(SCHEMA) => TABLES_THEN_COLUMNS
            .replace("%VECTORS%", vectors)
            .replace("%MAY_READ%", MAY_READ)
            .replace("%DISTANCE%", &distance),
        // A constant, or the planner cannot tell that the partial index matches.
        Way::Indexed(collection) => first_where(format!(
            "v.collection = '{collection}' AND $3 <> '' AND $4 <> 0"
        )),
        Way::All => first_where(format!(
            "v.collection = $3::\"char\" AND ($3 <> 's' OR {MAY_READ})"
        )),
        Way::Listed => first_where("v.collection = $3::\"char\" AND v.item = ANY ($4)".to_owned()),
    };
    // There are as many as schemas and lengths in the life of a session; plans are cached by address.
    let sql: &'static str = sql.leak();
    QUERIES.with_borrow_mut(|queries| queries.insert(key, sql));
    sql
}

/// The settings that this version of pgvector supports.
pub(crate) fn available(schema: &str) -> Result<&'static [(&'static CStr, &'static CStr)], Error> {
    thread_local! {
        static AVAILABLE: RefCell<Option<&'static [(&'static CStr, &'static CStr)]>> =
            const { RefCell::new(None) };
    }
    if let Some(known) = AVAILABLE.with_borrow(|known| *known) {
        return Ok(known);
    }
    // pgvector defines its settings when it is loaded: any call loads it.
    let sql = format!("SELECT ({schema}.vector_dims('[1]'::{schema}.vector))::int4");
    spi::execute(&sql, &[], |_| Ok(()))?;
    let known: Vec<_> = SCAN_SETTINGS
        .iter()
        // SAFETY: a look-up by name that returns NULL for an unknown one.
        .filter(|(name, _)| unsafe {
            !pg_sys::GetConfigOption(name.as_ptr(), true, false).is_null()
        })
        .copied()
        .collect();
    let known: &'static [_] = known.leak();
    AVAILABLE.with_borrow_mut(|slot| *slot = Some(known));
    Ok(known)
}
