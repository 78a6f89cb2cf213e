//! Whether a kept answer, or a case of another evaluator, may be shown.

use pgrx::prelude::*;

use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::examples::{may_run_under, relations_under};

/// Whether the caller could run all of the queries, which were written under that `search_path`.
#[pg_extern(stable, parallel_unsafe, name = "_may_run")]
fn may_run(queries: Texts, search_path: Text<'_>) -> Result<bool, ErrorReport> {
    let search_path = &*search_path;
    let queries: Vec<String> = queries.into_iter().flatten().collect();
    may_run_under(search_path, &queries).map_err(report)
}

/// The names of the relations that the caller would read with the queries, which were written under that `search_path`;
/// NULL where it may not run all of them.
#[pg_extern(stable, parallel_unsafe, name = "_relations_of")]
fn relations_of(queries: Texts, search_path: Text<'_>) -> Result<Option<Vec<String>>, ErrorReport> {
    let search_path = &*search_path;
    let queries: Vec<String> = queries.into_iter().flatten().collect();
    relations_under(search_path, &queries).map_err(report)
}
