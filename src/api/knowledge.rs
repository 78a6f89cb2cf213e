//! `text2sql.export_knowledge()` and `import_knowledge(…)`: all stored knowledge as text, for review and
//! version control.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::teaching::knowledge::{export, import};
use crate::pg::stored::teaching::second_of;

/// All stored knowledge visible to the caller, one JSON object per line, in a stable order.
#[pg_extern(volatile, parallel_unsafe)]
fn export_knowledge() -> Result<String, ErrorReport> {
    export().map_err(report)
}

/// Imports the output of `export_knowledge()`. `mode` is `merge` (add to what is stored) or `replace` (replace
/// it); `on_error` is `abort` (an invalid line ends the call, and nothing changes) or `skip`.
#[pg_extern(volatile, parallel_unsafe)]
fn import_knowledge(
    knowledge: Option<FileText<'_>>,
    mode: default!(Option<Text<'_>>, "'merge'"),
    on_error: default!(Option<Text<'_>>, "'abort'"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(taken, i64),
            name!(refused, i64),
            name!(problems, Vec<String>),
        ),
    >,
    ErrorReport,
> {
    let knowledge = knowledge.as_deref();
    let mode = mode.as_deref();
    let on_error = on_error.as_deref();
    let replaces = second_of("mode", mode, ["merge", "replace"]).map_err(report)?;
    let skips = second_of("on_error", on_error, ["abort", "skip"]).map_err(report)?;
    let imported = import(knowledge, replaces, skips).map_err(report)?;
    Ok(TableIterator::once((
        imported.taken,
        imported.refused,
        imported.problems,
    )))
}
