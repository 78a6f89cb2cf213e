//! `text2sql.add_join(columns, target_columns)`: joins that no foreign key declares.

use pgrx::default;
use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::{decided, elements, joins, learned};

/// Says that columns of one table refer to columns of another, as a foreign key would; gives the id.
#[pg_extern(volatile, parallel_unsafe)]
fn add_join(
    columns: Option<Vec<Option<String>>>,
    target_columns: Option<Vec<Option<String>>>,
    evidence: default!(Option<&str>, "NULL"),
) -> Result<i32, ErrorReport> {
    let (columns, targets) = (elements(columns), elements(target_columns));
    joins::add(&columns, &targets, evidence, "taught").map_err(report)
}

/// Accepts a join that was suggested, or rejects it: then it is not suggested again.
#[pg_extern(volatile, parallel_unsafe)]
fn decide_join(id: Option<i32>, accept: Option<bool>) -> Result<(), ErrorReport> {
    let accept = decided(accept, "accept").map_err(report)?;
    joins::decide(id, accept).map_err(report)
}

/// Takes a join back.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_join(id: Option<i32>) -> Result<(), ErrorReport> {
    joins::drop_join(id).map_err(report)
}

/// Suggests joins that no foreign key declares, at most `most` of them, from the statements that
/// pg_stat_statements counts and from the examples; gives the new ones with their evidence. None is
/// used before `decide_join()` accepts it.
#[pg_extern(volatile, parallel_unsafe)]
fn suggest_joins(
    most: default!(Option<i32>, "100"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(columns, Vec<String>),
            name!(target_columns, Vec<String>),
            name!(origin, String),
            name!(evidence, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let suggested = learned::suggest(most.unwrap_or(100)).map_err(report)?;
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

/// Lists the joins that the caller may see: suggested, rejected and accepted ones.
#[pg_extern(volatile, parallel_unsafe)]
fn list_joins() -> Result<
    TableIterator<
        'static,
        (
            name!(id, i32),
            name!(columns, Vec<String>),
            name!(target_columns, Vec<String>),
            name!(status, String),
            name!(origin, String),
            name!(evidence, Option<String>),
            name!(taught_by, String),
        ),
    >,
    ErrorReport,
> {
    let listed = joins::list().map_err(report)?;
    Ok(TableIterator::new(listed.into_iter().map(|join| {
        (
            join.id,
            join.columns,
            join.target_columns,
            join.status,
            join.origin,
            join.evidence,
            join.taught_by,
        )
    })))
}
