//! `text2sql.import_glossary(…)`, `import_examples(…)` and `drop_import(source)`: files whose content can be taken back.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::teaching::imports::{self, File, Line};
use crate::pg::stored::teaching::second_of;

/// How many problems `import_examples` lists.
const MAX_PROBLEMS: usize = 1_000;

/// Imports a glossary under the name of a source: a definition for each line with a term and its meaning in words, in SQL
/// or as a period; an example for a line whose SQL is a query. Returns what became of each line.
#[pg_extern(volatile, parallel_unsafe)]
fn import_glossary(
    content: Option<FileText<'_>>,
    source: Option<Text<'_>>,
    format: default!(Option<Text<'_>>, "NULL"),
    on_error: default!(Option<Text<'_>>, "'abort'"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(line, Option<i64>),
            name!(kind, Option<String>),
            name!(term, String),
            name!(outcome, String),
            name!(reason, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let content = content.as_deref();
    let source = source.as_deref();
    let format = format.as_deref();
    let on_error = on_error.as_deref();
    let skips = second_of("on_error", on_error, ["abort", "skip"]).map_err(report)?;
    let file = File {
        content,
        source,
        format,
        is_glossary: true,
        skips,
    };
    let lines = imports::import(&file).map_err(report)?;
    Ok(TableIterator::new(lines.into_iter().map(|line| {
        let kind = line.entry.map(str::to_owned);
        let outcome = line.outcome.to_owned();
        (line.number, kind, line.subject, outcome, line.reason)
    })))
}

/// Adds the examples of a file, and definitions for lines whose SQL is an expression. `on_error` is `abort` (an invalid
/// line ends the call, and nothing is stored) or `skip` (the other lines are stored). With a source the file can be
/// listed, updated and taken back.
#[pg_extern(volatile, parallel_unsafe, name = "import_examples")]
fn import_example_lines(
    content: Option<FileText<'_>>,
    on_error: default!(Option<Text<'_>>, "'abort'"),
    source: default!(Option<Text<'_>>, "NULL"),
    format: default!(Option<Text<'_>>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(added, i64),
            name!(known, i64),
            name!(refused, i64),
            name!(problems, Vec<String>),
            name!(dropped, i64),
        ),
    >,
    ErrorReport,
> {
    let content = content.as_deref();
    let on_error = on_error.as_deref();
    let source = source.as_deref();
    let format = format.as_deref();
    let skips = second_of("on_error", on_error, ["abort", "skip"]).map_err(report)?;
    let file = File {
        content,
        source,
        format,
        is_glossary: false,
        skips,
    };
    let lines = imports::import(&file).map_err(report)?;
    let count = |outcome: &str| {
        let lines = lines.iter().filter(|line| line.outcome == outcome);
        i64::try_from(lines.count()).unwrap_or(i64::MAX)
    };
    let refused = lines.iter().filter(|line| line.outcome == "refused");
    let problems = refused.take(MAX_PROBLEMS).map(Line::problem).collect();
    Ok(TableIterator::once((
        count("taken"),
        count("known"),
        count("refused"),
        problems,
        count("dropped"),
    )))
}

/// Drops the definitions and examples that the file of a source gave, and says what it leaves and why.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_import(
    source: Option<Text<'_>>,
    include_verified: default!(Option<bool>, "false"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(kind, String),
            name!(subject, String),
            name!(outcome, String),
            name!(reason, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let source = source.as_deref();
    let includes_verified = include_verified.unwrap_or(false);
    let taken_back = imports::take_back(source, includes_verified).map_err(report)?;
    Ok(TableIterator::new(taken_back.into_iter().map(|entry| {
        (
            entry.entry,
            entry.subject,
            entry.outcome.to_owned(),
            entry.reason,
        )
    })))
}
