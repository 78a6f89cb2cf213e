//! `text2sql.suggest_descriptions(objects)`: descriptions of tables proposed by a model, for review.

use pgrx::default;
use pgrx::prelude::*;

use super::array_argument::{elements, elements_if_given};
use crate::pg::server::array_argument::{Ids, Texts};
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::stored::teaching::suggestions::{self, Open};

/// Asks the model to describe tables, or the tables of schemas, that have no description, and stores the
/// proposals for review. They are not used before `accept_suggestions()`.
#[pg_extern(volatile, parallel_unsafe)]
fn suggest_descriptions(
    objects: Option<Texts>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i64),
            name!(kind, String),
            name!(object, String),
            name!(term, Option<String>),
            name!(suggestion, String),
            name!(sql_expression, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let made = suggestions::suggest(&elements(objects, "objects")?).map_err(report)?;
    Ok(TableIterator::new(made.into_iter().map(row)))
}

fn row(open: Open) -> (i64, String, String, Option<String>, String, Option<String>) {
    (
        open.id,
        open.kind,
        open.object,
        open.term,
        open.suggestion,
        open.sql_expression,
    )
}

/// Accepts the suggestions with these ids, or all open ones. A description that a user stored in the meantime
/// is kept.
#[pg_extern(volatile, parallel_unsafe)]
fn accept_suggestions(
    ids: default!(Option<Ids>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i64),
            name!(object, String),
            name!(outcome, String),
        ),
    >,
    ErrorReport,
> {
    let accepted = suggestions::accept(elements_if_given(ids, "ids")?).map_err(report)?;
    Ok(TableIterator::new(
        accepted
            .into_iter()
            .map(|(open, outcome)| (open.id, open.object, outcome)),
    ))
}

/// Rejects the suggestions with these ids, or all open ones; returns their number.
#[pg_extern(volatile, parallel_unsafe)]
fn reject_suggestions(ids: default!(Option<Ids>, "NULL")) -> Result<i64, ErrorReport> {
    suggestions::reject(elements_if_given(ids, "ids")?).map_err(report)
}
