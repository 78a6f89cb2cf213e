//! What a coordinator of Citus asks the nodes: sizes, statistics and values of the shards that they have.
//!
//! Every role may call these: they return what the caller may read anyway, and read no row by a query.

use pgrx::prelude::*;

use super::array_argument::elements;
use crate::pg::search::shard_rows;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;

/// Sizes of the shards that are here, as a JSON array.
#[pg_extern(volatile, parallel_unsafe, name = "_shards")]
fn shards() -> Result<Option<String>, ErrorReport> {
    shard_rows::sizes().map_err(report)
}

/// The planner's statistics of shards of a table that are here, as a JSON array of arrays; NULL where there are none.
#[pg_extern(volatile, parallel_unsafe, name = "_shard_statistics")]
fn shard_statistics(
    table_name: Text<'_>,
    columns: Texts,
    texts: Texts,
) -> Result<Option<String>, ErrorReport> {
    let table_name = &*table_name;
    let columns = elements(Some(columns), "columns")?;
    let texts = elements(Some(texts), "texts")?;
    shard_rows::statistics(table_name, columns, texts).map_err(report)
}

/// Counts and distinct values of shards of a table that are here, as a JSON array of one object.
#[pg_extern(volatile, parallel_unsafe, name = "_shard_values")]
fn shard_values(
    table_name: Text<'_>,
    columns: Texts,
    texts: Texts,
    timeout: i32,
) -> Result<Option<String>, ErrorReport> {
    let table_name = &*table_name;
    let columns = elements(Some(columns), "columns")?;
    let texts = elements(Some(texts), "texts")?;
    shard_rows::values(table_name, &columns, &texts, timeout).map_err(report)
}
