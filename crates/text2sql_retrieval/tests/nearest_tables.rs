//! What a search by vectors compares: all columns of a small catalog, of a large one those of the nearest tables.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashSet;
use std::sync::Arc;

use port_contracts::memory_index::MemoryIndex;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, NAME, Near, SearchIndex};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_domain::schema::Table;
use text2sql_domain::schema_fixture::Build;
use text2sql_language::terms::Analyzer;
use text2sql_retrieval::vectors::hash_embedder::HashEmbedder;
use text2sql_retrieval::vectors::{MAX_COMPARED, NEAREST_TABLES};

/// Vectors of columns as well.
struct WithColumns(HashEmbedder);

impl Embedder for WithColumns {
    fn name(&self) -> String {
        self.0.name()
    }
    fn dimensions(&self) -> usize {
        self.0.dimensions()
    }
    fn embeds_columns(&self) -> bool {
        true
    }
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        self.0.embed(texts, purpose)
    }
}

/// The nearest units, among this many tables of three columns.
fn near(tables: usize, limit: usize) -> Vec<Near> {
    let oids = 1..=u32::try_from(tables).unwrap();
    let tables: Vec<Table> = oids
        .map(|oid| {
            let name = format!("parcels_{oid}");
            let columns = "parcel_id integer!, weight numeric, sent_on date";
            Arc::unwrap_or_clone(Build::table(oid, &name).columns(columns).done())
        })
        .collect();
    let embedder = WithColumns(HashEmbedder::default());
    let mut index = MemoryIndex::new(Analyzer::default());
    index.add_tables(&tables, Some(&embedder)).unwrap();
    let vectors = embedder.embed(&["weight of parcels"], Purpose::Question);
    let vector = vectors.unwrap().remove(0);
    index.nearest(Collection::Schema, &vector, limit).unwrap()
}

#[test]
fn all_columns_of_a_small_catalog_are_compared() {
    assert_eq!(near(MAX_COMPARED, usize::MAX).len(), 4 * MAX_COMPARED);
    assert_eq!(near(MAX_COMPARED, 7).len(), 7);
}

#[test]
fn of_a_large_catalog_the_nearest_tables_have_one_column_each() {
    let near = near(MAX_COMPARED + 1, usize::MAX);
    let (tables, columns): (Vec<&Near>, Vec<&Near>) =
        near.iter().partition(|unit| unit.unit == NAME);
    assert_eq!(tables.len(), NEAREST_TABLES);
    let tables: HashSet<u32> = tables.iter().map(|unit| unit.item).collect();
    let of_columns: HashSet<u32> = columns.iter().map(|unit| unit.item).collect();
    assert_eq!(columns.len(), NEAREST_TABLES);
    assert_eq!(tables, of_columns);
    assert!(columns.iter().all(|unit| unit.unit == 2), "{columns:?}");
}
