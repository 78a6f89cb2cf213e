//! Reads the definitions of found tables from the catalog, with as much of the planner's statistics as is
//! needed.

use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::schema::Table;

/// Describes found tables, best first; those after the first `in_full` without the planner's statistics.
pub(crate) fn describe_found(
    cx: &Run<'_>,
    oids: &[u32],
    in_full: usize,
) -> Result<Vec<Arc<Table>>, Error> {
    let (best, others) = oids.split_at(oids.len().min(in_full));
    let mut tables = cx.catalog.describe(best)?;
    tables.extend(cx.catalog.outline(others)?);
    Ok(tables)
}

/// The tables, of which those that the statement names are described in full. Most questions read tables of which
/// retrieval has read everything: then the catalog is not asked again.
pub fn describe_named_in(
    cx: &Run<'_>,
    sql: &str,
    tables: &[Arc<Table>],
) -> Result<Vec<Arc<Table>>, Error> {
    let mut named = Vec::new();
    if tables.iter().any(|table| !table.has_statistics) {
        let sql = sql.to_lowercase();
        let outlines = tables
            .iter()
            .filter(|table| !table.has_statistics && sql.contains(&table.name.to_lowercase()));
        named.extend(outlines.map(|table| table.oid));
    }
    if named.is_empty() {
        return Ok(tables.to_vec());
    }
    let full = cx.catalog.describe(&named)?;
    let of = |table: &Arc<Table>| full.iter().find(|known| known.oid == table.oid);
    let tables = tables.iter().map(|table| of(table).unwrap_or(table));
    Ok(tables.map(Arc::clone).collect())
}

/// Tables that `some` refer to by foreign keys and that are not among `tables`.
pub(crate) fn targets_not_among(some: &[Arc<Table>], tables: &[Arc<Table>]) -> Vec<u32> {
    let mut missing = Vec::new();
    for key in some.iter().flat_map(|table| &table.foreign_keys) {
        let is_known = tables.iter().any(|table| table.oid == key.target);
        if !is_known && !missing.contains(&key.target) {
            missing.push(key.target);
        }
    }
    missing
}
