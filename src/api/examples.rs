//! `text2sql.add_example(question, sql)`, `import_examples(…)` and what else is done with examples.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::intent::Checked;
use crate::pg::teaching::{decided, examples, intent, second_of};

/// Adds a question with the SQL that answers it, which the guard judges; gives its id. It is used when
/// somebody has verified it.
#[pg_extern(volatile, parallel_unsafe)]
fn add_example(question: Option<&str>, sql: Option<&str>) -> Result<i32, ErrorReport> {
    examples::add(question, sql).map_err(report)
}

/// Adds the examples of JSON lines: `{"question": …, "sql": …}` or `{"NL": …, "SQL": …}`. `on_error` is
/// `abort` (a bad line ends the call, and nothing is kept) or `skip` (the others are kept).
#[pg_extern(volatile, parallel_unsafe)]
fn import_examples(
    jsonl: Option<&str>,
    on_error: default!(Option<&str>, "'abort'"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(added, i64),
            name!(known, i64),
            name!(refused, i64),
            name!(problems, Vec<String>),
        ),
    >,
    ErrorReport,
> {
    let skips = second_of("on_error", on_error, ["abort", "skip"]).map_err(report)?;
    let imported = examples::import(jsonl, skips).map_err(report)?;
    Ok(TableIterator::once((
        imported.added,
        imported.known,
        imported.refused,
        imported.problems,
    )))
}

/// Says that the SQL of an example answers its question; without that it is not used.
#[pg_extern(volatile, parallel_unsafe)]
fn verify_example(
    id: Option<i32>,
    verified: default!(Option<bool>, "true"),
) -> Result<(), ErrorReport> {
    let verified = decided(verified, "verified").map_err(report)?;
    examples::verify(id, verified).map_err(report)
}

/// Takes an example back.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_example(id: Option<i32>) -> Result<(), ErrorReport> {
    examples::drop_example(id).map_err(report)
}

/// Asks the model whether the SQL of an example answers its question, and keeps what it says.
#[pg_extern(volatile, parallel_unsafe)]
fn check_example(
    id: Option<i32>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(question, String),
            name!(intent, String),
            name!(reason, String),
        ),
    >,
    ErrorReport,
> {
    let checked = intent::check_one(id).map_err(report)?;
    Ok(TableIterator::new(checked.into_iter().map(opinion)))
}

/// Asks the model about the examples that it was not asked about yet, at most `most` of them.
#[pg_extern(volatile, parallel_unsafe)]
fn check_examples(
    most: default!(Option<i32>, "20"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(question, String),
            name!(intent, String),
            name!(reason, String),
        ),
    >,
    ErrorReport,
> {
    let ids = intent::unchecked(most.unwrap_or(20)).map_err(report)?;
    let checked = intent::check(&ids).map_err(report)?;
    Ok(TableIterator::new(checked.into_iter().map(opinion)))
}

fn opinion(checked: Checked) -> (i32, String, String, String) {
    let verdict = checked.verdict;
    (
        checked.id,
        checked.question,
        verdict.intent.to_owned(),
        verdict.reason,
    )
}

/// Lists the examples that the caller may see; with `only_broken`, those whose SQL is no longer right.
#[pg_extern(volatile, parallel_unsafe)]
fn list_examples(
    only_broken: default!(Option<bool>, "false"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(question, String),
            name!(sql, String),
            name!(tables, Vec<String>),
            name!(verified_by, Option<String>),
            name!(intent, Option<String>),
            name!(intent_reason, Option<String>),
            name!(origin, String),
            name!(problem, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let listed = examples::list(only_broken.unwrap_or(false)).map_err(report)?;
    Ok(TableIterator::new(listed.into_iter().map(|example| {
        (
            example.id,
            example.question,
            example.sql,
            example.tables,
            example.verified_by,
            example.intent,
            example.intent_reason,
            example.origin,
            example.problem,
        )
    })))
}
