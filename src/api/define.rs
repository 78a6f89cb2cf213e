//! `text2sql.define(term, meaning, …)`: terms of the house, and what they mean in words and in SQL.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::definitions::{self, Given};

/// Defines a term, in place of a former definition. Its SQL expression is checked by the server; it is
/// about the rows of `applies_to`, or of the one table whose columns it names.
#[pg_extern(volatile, parallel_unsafe)]
fn define(
    term: Option<&str>,
    meaning: Option<&str>,
    sql_expression: default!(Option<&str>, "NULL"),
    applies_to: default!(Option<&str>, "NULL"),
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
) -> Result<(), ErrorReport> {
    let found = definitions::define(&Given {
        term,
        meaning,
        sql_expression,
        applies_to,
        synonyms: synonyms.into_iter().flatten().flatten().collect(),
        origin: "taught",
    })
    .map_err(report)?;
    if let Some(table) = found {
        pgrx::notice!(
            "\"{}\" is about the rows of {table}",
            term.unwrap_or_default()
        );
    }
    Ok(())
}

/// Takes a definition back.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_definition(
    term: Option<&str>,
    applies_to: default!(Option<&str>, "NULL"),
) -> Result<(), ErrorReport> {
    definitions::drop_definition(term, applies_to).map_err(report)
}

/// Lists the definitions that the caller may see, and whether the server still accepts their SQL.
#[pg_extern(volatile, parallel_unsafe)]
fn list_definitions() -> Result<
    TableIterator<
        'static,
        (
            name!(term, String),
            name!(meaning, String),
            name!(sql_expression, Option<String>),
            name!(applies_to, Option<String>),
            name!(kind, Option<String>),
            name!(synonyms, Vec<String>),
            name!(status, String),
            name!(problem, Option<String>),
            name!(taught_by, String),
        ),
    >,
    ErrorReport,
> {
    let listed = definitions::list().map_err(report)?;
    Ok(TableIterator::new(listed.into_iter().map(|definition| {
        let status = if definition.problem.is_none() {
            "ok"
        } else {
            "broken"
        };
        (
            definition.term,
            definition.meaning,
            definition.sql_expression,
            definition.applies_to,
            definition.expression_kind,
            definition.synonyms,
            status.to_owned(),
            definition.problem,
            definition.taught_by,
        )
    })))
}
