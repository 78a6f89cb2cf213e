//! The HNSW indexes over the vectors: one for each sufficiently large collection.

use std::ffi::CString;

use pgrx::pg_sys::{self, Oid};
use text2sql_domain::error::{Error, failure};

use super::run::Refresh;
use crate::pg::search::search_index::{self, VectorSet};
use crate::pg::server::spi;

/// Below this number of vectors a sequential search is as fast as an index, and exact. A question that may not list its
/// tables needs the index: see `nearest_vectors`.
const MIN_FOR_INDEX: i64 = 500;

/// What an element of the graph takes besides its vector, in bytes: 32 neighbours of 16 bytes on the lowest level, and
/// what lies around them.
const GRAPH_BYTES: i64 = 800;

/// The most memory that an index build takes without the administrator's setting, in kilobytes.
const MAX_BUILD_MEMORY: i64 = 512 * 1024;

const INDEX_OF: &str = "SELECT to_regclass($1)::oid";

impl Refresh {
    /// Creates missing vector indexes, and analyzes the tables. `dimensions` is the length of the vectors.
    pub(super) fn build_vector_indexes(
        &self,
        set: VectorSet,
        dimensions: i32,
    ) -> Result<(), Error> {
        let table = set.items();
        self.as_owner(|| {
            // Only the vector of a table's name is indexed, not those of its columns: see nearest_tables.sql.
            let count = format!(
                "SELECT collection::text, count(*) FROM text2sql.{table} WHERE collection <> 's' OR unit = 0 GROUP BY collection"
            );
            let counts = spi::execute(&count, &[], |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<i64>(2)?.unwrap_or_default(),
                ))
            })?;
            for (collection, count) in counts {
                let condition = match collection.as_str() {
                    "s" => "collection = 's' AND unit = 0".to_owned(),
                    _ => format!("collection = '{collection}'"),
                };
                let name = format!("{table}_{collection}_hnsw");
                create_index_if_due(table, &name, &condition, dimensions, count)?;
            }
            let analyze = format!("ANALYZE text2sql.{table} (collection, item)");
            spi::execute(&analyze, &[], |_| Ok(()))?;
            if set == VectorSet::Index {
                let analyze = "ANALYZE text2sql._index_documents (collection, item)";
                spi::execute(analyze, &[], |_| Ok(()))?;
            }
            Ok(())
        })?;
        self.commit()
    }
}

/// Creates the HNSW index `name` over the vectors of `table`, for its rows with `condition`, about `count` of them: where
/// there is none, and there are enough vectors, which can be indexed.
pub(super) fn create_index_if_due(
    table: &str,
    name: &str,
    condition: &str,
    dimensions: i32,
    count: i64,
) -> Result<(), Error> {
    let qualified = format!("text2sql.{name}");
    let known: Option<Oid> = spi::read_one(INDEX_OF, &[qualified.as_str().into()])?;
    if known.is_some() || count < MIN_FOR_INDEX || !search_index::can_be_indexed(dimensions) {
        return Ok(());
    }
    let schema = search_index::vector_schema()?;
    let (indexed, operators) = search_index::indexed_vector(&schema, dimensions);
    let sql = format!(
        "CREATE INDEX {name} ON text2sql.{table} USING hnsw (({indexed}) {operators}) WHERE {condition}"
    );
    let memory = CString::new(format!("{}kB", build_memory(dimensions, count)))
        .map_err(|error| failure!(Internal, "a size with a NUL").with_source(error))?;
    spi::with_settings(&[&[(c"maintenance_work_mem", memory.as_c_str())]], || {
        spi::execute(&sql, &[], |_| Ok(()))
    })
    .map(drop)
}

/// The memory for building an HNSW index, in kilobytes: a graph that does not fit is built many times more slowly. At
/// least what the administrator allows, and at most [`MAX_BUILD_MEMORY`] beyond that.
fn build_memory(dimensions: i32, count: i64) -> i64 {
    // SAFETY: reads a variable of the session.
    let allowed = i64::from(unsafe { pg_sys::maintenance_work_mem });
    let needed = count.saturating_mul(2 * i64::from(dimensions) + GRAPH_BYTES) / 1024;
    allowed.max(needed.min(MAX_BUILD_MEMORY))
}

/// Drops the vector indexes of tables, knowledge and words: those of another dimension cannot be used. Their vectors go with
/// them: older snapshots still see those that were only deleted, and PostgreSQL would put them into the next index.
pub(super) fn drop_indexes(set: VectorSet) -> Result<(), Error> {
    let items = ["_s", "_d", "_e"].map(|collection| (set.items(), collection));
    for (table, collection) in items.into_iter().chain([(set.words(), "")]) {
        let name = format!("text2sql.{table}{collection}_hnsw");
        let known: Option<Oid> = spi::read_one(INDEX_OF, &[name.as_str().into()])?;
        if known.is_some() {
            for sql in [
                format!("DROP INDEX {name}"),
                format!("TRUNCATE text2sql.{table}"),
            ] {
                spi::execute(&sql, &[], |_| Ok(()))?;
            }
        }
    }
    Ok(())
}
