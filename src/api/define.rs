//! `text2sql.define(term, meaning, …)`: business terms with their meaning in words, in SQL, or as a period.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::definitions::{self, Given};

/// Defines a term, replacing an earlier definition. The server checks the SQL expression; it is evaluated over
/// the rows of `applies_to`, or of the one table whose columns it names. With `period`, the term stands for days.
#[pg_extern(volatile, parallel_unsafe, name = "define")]
fn define_term(
    term: Option<&str>,
    meaning: default!(Option<&str>, "NULL"),
    sql_expression: default!(Option<&str>, "NULL"),
    applies_to: default!(Option<&str>, "NULL"),
    synonyms: default!(Option<Vec<Option<String>>>, "NULL"),
    period: default!(Option<&str>, "NULL"),
) -> Result<(), ErrorReport> {
    let found = definitions::define(&Given {
        term,
        meaning,
        sql_expression,
        applies_to,
        synonyms: synonyms.into_iter().flatten().flatten().collect(),
        period,
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

/// Removes a definition.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_definition(
    term: Option<&str>,
    applies_to: default!(Option<&str>, "NULL"),
) -> Result<(), ErrorReport> {
    definitions::drop_definition(term, applies_to).map_err(report)
}

/// Why an expression over the rows of a table cannot be used now, for the view `definitions`; NULL when it can.
/// STABLE, so that a query that does not read the column skips the check.
#[pg_extern(stable, parallel_unsafe, name = "_problem_of_expression")]
fn problem_of_expression(
    sql_expression: Option<&str>,
    applies_to: Option<&str>,
) -> Result<Option<String>, ErrorReport> {
    match sql_expression {
        Some(expression) => definitions::problem_of(expression, applies_to).map_err(report),
        None => Ok(None),
    }
}
