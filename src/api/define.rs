//! `text2sql.define(term, meaning, …)`: business terms with their meaning in words, in SQL, or as a period; and metrics
//! that are made of others.

use pgrx::prelude::*;
use pgrx::{Json, default};

use super::array_argument::elements;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::definitions::{self, Given};
use crate::pg::stored::teaching::metrics;

/// Defines a term, replacing an earlier definition. The server checks the SQL expression; it is evaluated over
/// the rows of `applies_to`, or of the one table whose columns it names. With `joins` it may read the tables of a
/// path, which begins at that table. With `period`, the term stands for days; with `metric`, for a figure that is made of
/// defined measures.
#[pg_extern(volatile, parallel_unsafe, name = "define")]
#[allow(clippy::too_many_arguments)]
fn define_term(
    term: Option<Text<'_>>,
    meaning: default!(Option<Text<'_>>, "NULL"),
    sql_expression: default!(Option<Text<'_>>, "NULL"),
    applies_to: default!(Option<Text<'_>>, "NULL"),
    synonyms: default!(Option<Texts>, "NULL"),
    period: default!(Option<Text<'_>>, "NULL"),
    joins: default!(Option<Texts>, "NULL"),
    metric: default!(Option<JsonbArgument>, "NULL"),
) -> Result<(), ErrorReport> {
    let term = term.as_deref();
    let meaning = meaning.as_deref();
    let sql_expression = sql_expression.as_deref();
    let applies_to = applies_to.as_deref();
    let period = period.as_deref();
    let synonyms = elements(synonyms, "synonyms")?;
    let joins = elements(joins, "joins")?;
    if let Some(JsonbArgument(metric)) = metric {
        let others = [sql_expression, applies_to, period];
        let is_alone = others.iter().all(Option::is_none) && joins.is_empty();
        return metrics::define_taught(term, meaning, synonyms, metric, is_alone).map_err(report);
    }
    let found = definitions::define(&Given {
        term,
        meaning,
        sql_expression,
        applies_to,
        synonyms,
        period,
        joins,
        origin: "taught",
        only_replaces: None,
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

/// Why the SQL of a definition cannot be used now, for the view `definitions`; NULL when it can.
/// STABLE, so that a query that does not read the column skips the check.
#[pg_extern(stable, parallel_unsafe, name = "_problem_of_definition")]
fn problem_of_definition(id: Option<i64>) -> Result<Option<String>, ErrorReport> {
    match id {
        Some(id) => definitions::problem_of(id).map_err(report),
        None => Ok(None),
    }
}

/// The joins, the grain and the query of a definition, for the view `definitions` and for exports.
#[pg_extern(stable, parallel_unsafe, name = "_parts_of_definition")]
fn parts_of_definition(id: Option<i64>) -> Result<Option<Json>, ErrorReport> {
    match id {
        Some(id) => definitions::parts_of(id)
            .map(|parts| parts.map(Json))
            .map_err(report),
        None => Ok(None),
    }
}
