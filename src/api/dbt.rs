//! `text2sql.import_dbt(manifest)`: imports what a dbt project declares about its tables.

use pgrx::Json;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::error::{ErrorReport, report};
use crate::pg::teaching::dbt;

/// Imports descriptions, relationship tests, accepted values, semantic models and metrics of a dbt manifest,
/// and reports each: `taken`, `known`, `overruled` (a user stored something else), `refused` or `left out`.
#[pg_extern(volatile, parallel_unsafe)]
fn import_dbt(
    manifest: Option<Json>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(kind, String),
            name!(subject, String),
            name!(outcome, String),
            name!(detail, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let Some(Json(manifest)) = manifest else {
        return Err(report(Error::new(
            ErrorKind::Missing,
            "manifest must not be null",
        )));
    };
    let lines = dbt::import(&manifest).map_err(report)?;
    Ok(TableIterator::new(lines.into_iter().map(|line| {
        (
            line.kind.to_owned(),
            line.subject,
            line.outcome.to_owned(),
            line.detail,
        )
    })))
}
