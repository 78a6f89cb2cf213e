//! `text2sql.add_join(column_names, target_column_names)`: joins that no foreign key declares.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::{elements, joins, learned_joins};

/// Says that columns of one table refer to columns of another, as a foreign key would; gives the id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_join(
    column_names: Option<Vec<Option<String>>>,
    target_column_names: Option<Vec<Option<String>>>,
    evidence: default!(Option<&str>, "NULL"),
) -> Result<i64, ErrorReport> {
    let (columns, targets) = (elements(column_names), elements(target_column_names));
    joins::add(&columns, &targets, evidence, "taught").map_err(report)
}

/// Accepts a join that was suggested: questions use it as a foreign key.
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

/// Suggests joins that no foreign key declares, at most `max_joins` of them, from the statements that
/// pg_stat_statements counts and from the examples; gives the new ones with their evidence. None is
/// used before `accept_join()`.
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
    let suggested = learned_joins::suggest(max_joins.unwrap_or(100)).map_err(report)?;
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
