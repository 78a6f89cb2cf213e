//! Whether a kept answer, or a case of another evaluator, may be shown; names of conversations, and boards.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::knowledge::stored_sql::names_read_under;
use crate::pg::stored::record::boards;

/// The names of the relations that the caller would read with the queries, which were written under that `search_path`;
/// NULL where it may not run all of them. With `with_policies` also how their rows are protected, for rows that are kept.
#[pg_extern(stable, parallel_unsafe, name = "_relations_of")]
fn relations_of(
    queries: Texts,
    search_path: Text<'_>,
    with_policies: default!(bool, "false"),
) -> Result<Option<Vec<String>>, ErrorReport> {
    let queries: Vec<String> = queries.into_iter().flatten().collect();
    names_read_under(&search_path, &queries, with_policies).map_err(report)
}

/// Keeps what a JSON document of text2sql-server says of a conversation, an answer or a board; returns how many rows that
/// changed.
#[pg_extern(volatile, parallel_unsafe, name = "_keep")]
fn keep(kept: Text<'_>) -> Result<i64, ErrorReport> {
    boards::keep(&kept).map_err(report)
}
