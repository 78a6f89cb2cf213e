//! Whether a kept answer, or a case of another evaluator, may be shown.

use pgrx::prelude::*;

use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::knowledge::stored_sql::names_read_under;

/// The names of the relations that the caller would read with the queries, which were written under that `search_path`;
/// NULL where it may not run all of them.
#[pg_extern(stable, parallel_unsafe, name = "_relations_of")]
fn relations_of(queries: Texts, search_path: Text<'_>) -> Result<Option<Vec<String>>, ErrorReport> {
    let queries: Vec<String> = queries.into_iter().flatten().collect();
    names_read_under(&search_path, &queries).map_err(report)
}
