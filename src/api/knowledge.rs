//! `text2sql.export_knowledge()` and `import_knowledge(…)`: everything taught as a text for review.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_core::error::{Error, ErrorKind};

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::knowledge::{export, import};

/// Everything taught that the caller may see, one JSON object a line, in an order that stays.
#[pg_extern(volatile, parallel_unsafe)]
fn export_knowledge() -> Result<String, ErrorReport> {
    export().map_err(report)
}

/// Takes what `export_knowledge()` wrote. `mode` is `merge` (beside what is there) or `replace` (in its
/// place); `on_error` is `abort` (a bad line ends the call, and nothing changes) or `skip`.
#[pg_extern(volatile, parallel_unsafe)]
fn import_knowledge(
    knowledge: Option<&str>,
    mode: default!(&str, "'merge'"),
    on_error: default!(&str, "'abort'"),
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
    let one_of = |what: &str, value: &str, [first, second]: [&str; 2]| {
        if value == first || value == second {
            return Ok(value == second);
        }
        let error = Error::new(ErrorKind::Setting, format!("{what} cannot be \"{value}\""))
            .with_hint(format!("{what} => '{first}' or {what} => '{second}'"));
        Err(report(error))
    };
    let replaces = one_of("mode", mode, ["merge", "replace"])?;
    let skips = one_of("on_error", on_error, ["abort", "skip"])?;
    let imported = import(knowledge, replaces, skips).map_err(report)?;
    Ok(TableIterator::once((
        imported.taken,
        imported.refused,
        imported.problems,
    )))
}
