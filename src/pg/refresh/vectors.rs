//! The HNSW indexes over the vectors: one for each sufficiently large collection.

use pgrx::pg_sys::Oid;
use text2sql_domain::error::Error;

use super::run::Refresh;
use crate::pg::search_index::{self, VectorForm};
use crate::pg::spi;

/// Below this number of vectors a sequential search is as fast as an index, and exact.
pub(crate) const MIN_FOR_INDEX: i64 = 1_000;

const COUNT: &str =
    "SELECT collection::text, count(*) FROM text2sql._index_vectors GROUP BY collection";
const INDEX_OF: &str = "SELECT to_regclass($1)::oid";

impl Refresh {
    /// Creates missing vector indexes, and analyzes the tables.
    pub(super) fn build_vector_indexes(&self) -> Result<(), Error> {
        self.as_owner(|| {
            let state = search_index::read_state_row()?;
            let counts = spi::execute(COUNT, &[], |row| {
                Ok((
                    row.read::<String>(1)?.unwrap_or_default(),
                    row.read::<i64>(2)?.unwrap_or_default(),
                ))
            })?;
            for (collection, count) in counts {
                let name = format!("text2sql._index_vectors_{collection}_hnsw");
                let known: Option<Oid> = spi::read_one(INDEX_OF, &[name.as_str().into()])?;
                let dimensions = state.as_ref().map_or(0, |state| state.dimensions);
                let form = VectorForm::of(dimensions);
                if known.is_some() || count < MIN_FOR_INDEX || form == VectorForm::Exact {
                    continue;
                }
                let schema = search_index::vector_schema()?;
                let (cast, operators) = form.sql(&schema, dimensions);
                spi::execute(
                    &format!(
                        "CREATE INDEX _index_vectors_{collection}_hnsw ON text2sql._index_vectors
                         USING hnsw ((embedding::{cast}) {operators}) WHERE collection = '{collection}'"
                    ),
                    &[],
                    |_| Ok(()),
                )?;
            }
            for statement in [
                "ANALYZE text2sql._index_vectors (collection, item)",
                "ANALYZE text2sql._index_documents (collection, item)",
            ] {
                spi::execute(statement, &[], |_| Ok(()))?;
            }
            Ok(())
        })?;
        self.commit()
    }
}

/// Drops the vector indexes: those of another dimension cannot be used.
pub(super) fn drop_indexes() -> Result<(), Error> {
    for name in ["vectors_s", "vectors_d", "vectors_e", "words"] {
        let name = format!("text2sql._index_{name}_hnsw");
        let known: Option<Oid> = spi::read_one(INDEX_OF, &[name.as_str().into()])?;
        if known.is_some() {
            spi::execute(&format!("DROP INDEX {name}"), &[], |_| Ok(()))?;
        }
    }
    Ok(())
}
