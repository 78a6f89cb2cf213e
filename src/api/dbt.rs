//! `text2sql.import_dbt(manifest)`: imports what a dbt project declares about its tables.

use pgrx::prelude::*;
use text2sql_domain::error::failure;

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonArgument;
use crate::pg::server::text_argument::{FileText, Text};
use crate::pg::stored::teaching::{dbt, required};

/// Imports descriptions, relationship tests, accepted values, semantic models and metrics of a dbt manifest,
/// and reports each: `taken`, `known`, `overruled` (a user stored something else), `refused` or `left out`.
#[pg_extern(volatile, parallel_unsafe)]
fn import_dbt(
    manifest: Option<JsonArgument>,
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
    let Some(JsonArgument(manifest)) = manifest else {
        return Err(report(failure!(Missing, "manifest must not be null")));
    };
    let lines = dbt::import(&manifest).map_err(report)?;
    Ok(rows(lines))
}

/// Imports a semantic model of another program: views, joins, measures and conditions. It reports each like
/// `import_dbt`. The format is metricflow (semantic models and metrics as YAML), cube (YAML or JSON) or lookml.
#[pg_extern(volatile, parallel_unsafe)]
fn import_semantic_model(
    content: Option<FileText<'_>>,
    format: Option<Text<'_>>,
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
    let content = content.as_deref();
    let format = format.as_deref();
    let import = || dbt::import_model(required(content, "content")?, required(format, "format")?);
    Ok(rows(import().map_err(report)?))
}

/// Writes the definitions that the caller can see as semantic models and metrics of dbt; what has no such form
/// becomes a comment.
#[pg_extern(stable, parallel_unsafe)]
fn export_dbt() -> Result<String, ErrorReport> {
    dbt::export().map_err(report)
}

type Reported = (String, String, String, Option<String>);

fn rows(lines: Vec<dbt::Line>) -> TableIterator<'static, Reported> {
    TableIterator::new(lines.into_iter().map(|line| {
        (
            line.kind.to_owned(),
            line.subject,
            line.outcome.to_owned(),
            line.detail,
        )
    }))
}
