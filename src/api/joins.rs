//! `text2sql.add_join(column_names, target_column_names)`: joins that no foreign key declares.

use pgrx::default;
use pgrx::prelude::*;

use super::array_argument::elements;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::{joins, suggested_joins};

/// Declares that columns of one table reference columns of another, as a foreign key would; returns the id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_join(
    column_names: Option<Texts>,
    target_column_names: Option<Texts>,
    evidence: default!(Option<Text<'_>>, "NULL"),
) -> Result<i64, ErrorReport> {
    let evidence = evidence.as_deref();
    let columns = elements(column_names, "column_names")?;
    let targets = elements(target_column_names, "target_column_names")?;
    joins::add(&columns, &targets, evidence, "taught").map_err(report)
}

/// Accepts a suggested join: questions use it as they use a foreign key.
#[pg_extern(volatile, parallel_unsafe)]
fn accept_join(id: Option<i64>) -> Result<(), ErrorReport> {
    joins::decide(id, true).map_err(report)
}

/// Rejects a join: it is not used, and not suggested again.
#[pg_extern(volatile, parallel_unsafe)]
fn reject_join(id: Option<i64>) -> Result<(), ErrorReport> {
    joins::decide(id, false).map_err(report)
}

/// Removes a join.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_join(id: Option<i64>) -> Result<(), ErrorReport> {
    joins::drop_join(id).map_err(report)
}

/// Suggests at most `max_joins` joins that no foreign key declares, found in the statements of
/// pg_stat_statements and in the examples; returns the new ones with their evidence. A suggestion is not used
/// before `accept_join()`.
#[pg_extern(volatile, parallel_unsafe)]
fn suggest_joins(
    max_joins: default!(Option<i32>, "100"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i64),
            name!(column_names, Vec<String>),
            name!(target_column_names, Vec<String>),
            name!(origin, String),
            name!(evidence, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let suggested = suggested_joins::suggest(max_joins.unwrap_or(100)).map_err(report)?;
    Ok(TableIterator::new(suggested.into_iter().map(|join| {
        (
            join.id,
            join.columns,
            join.target_columns,
            join.origin,
            join.evidence,
        )
    })))
}
