//! Merges the schemas of a file into catalogs of a given size: a search among 90 tables is another task than
//! one among 800.

use std::collections::BTreeMap;

use text2sql_domain::schema::Table;

/// Which schemas come together is chosen at random, and always the same.
const SEED: u64 = 16;

/// The tables in catalogs of about `size` tables, each schema whole in one of them; one catalog of all for 0.
pub(crate) fn of_size(tables: Vec<Table>, size: usize) -> Vec<Vec<Table>> {
    if size == 0 {
        return vec![tables];
    }
    let mut by_schema: BTreeMap<String, Vec<Table>> = BTreeMap::new();
    for table in tables {
        by_schema
            .entry(table.schema.clone())
            .or_default()
            .push(table);
    }
    let mut schemas: Vec<Vec<Table>> = by_schema.into_values().collect();
    fastrand::Rng::with_seed(SEED).shuffle(&mut schemas);
    let mut catalogs: Vec<Vec<Table>> = Vec::new();
    for schema in schemas {
        match catalogs.last_mut() {
            Some(catalog) if catalog.len() + schema.len() / 2 <= size => catalog.extend(schema),
            _ => catalogs.push(schema),
        }
    }
    catalogs
}
