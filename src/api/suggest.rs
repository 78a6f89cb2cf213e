//! `text2sql.suggest_descriptions(objects)`: what a model proposes about tables, for review.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::elements;
use crate::pg::teaching::suggestions::{self, Open};

/// Asks the model about tables, or the tables of schemas, that nobody described, and keeps what it
/// proposes for review. Nothing of it is used before `apply_descriptions()`.
#[pg_extern(volatile, parallel_unsafe)]
fn suggest_descriptions(
    objects: Option<Vec<Option<String>>>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(kind, String),
            name!(object, String),
            name!(term, Option<String>),
            name!(suggestion, String),
            name!(sql_expression, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let made = suggestions::suggest(&elements(objects)).map_err(report)?;
    Ok(TableIterator::new(made.into_iter().map(row)))
}

fn row(open: Open) -> (i32, String, String, Option<String>, String, Option<String>) {
    (
        open.id,
        open.kind,
        open.object,
        open.term,
        open.suggestion,
        open.sql_expression,
    )
}

/// Uses suggestions: those with these ids, or all open ones. What a person said meanwhile stays.
#[pg_extern(volatile, parallel_unsafe)]
fn apply_descriptions(
    ids: default!(Option<Vec<Option<i32>>>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(object, String),
            name!(outcome, String),
        ),
    >,
    ErrorReport,
> {
    let applied = suggestions::apply(listed(ids)).map_err(report)?;
    Ok(TableIterator::new(
        applied
            .into_iter()
            .map(|(open, outcome)| (open.id, open.object, outcome)),
    ))
}

/// Puts suggestions aside: those with these ids, or all open ones; gives how many.
#[pg_extern(volatile, parallel_unsafe)]
fn reject_descriptions(
    ids: default!(Option<Vec<Option<i32>>>, "NULL"),
) -> Result<i64, ErrorReport> {
    suggestions::reject(listed(ids)).map_err(report)
}

fn listed(ids: Option<Vec<Option<i32>>>) -> Option<Vec<i32>> {
    ids.map(|ids| ids.into_iter().flatten().collect())
}
