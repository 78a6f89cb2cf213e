//! `text2sql.add_samples(object, samples)` and the other functions for samples that every prompt shows. The consent to
//! frequent values is `protect(object, 'sample')`.

use pgrx::prelude::*;
use pgrx::{JsonB, default};

use super::array_argument::elements;
use crate::pg::server::array_argument::Texts;
use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::samples::{self, Stored};

/// Stores samples that the owner wrote: values of a column, or rows of a table.
#[pg_extern(volatile, parallel_unsafe)]
fn add_samples(
    object: Option<Text<'_>>,
    samples: Option<JsonbArgument>,
) -> Result<TableIterator<'static, (name!(id, i64), name!(sample, JsonB))>, ErrorReport> {
    let object = object.as_deref();
    let stored = samples::add(object, samples.map(|samples| samples.0)).map_err(report)?;
    Ok(TableIterator::new(stored.into_iter().map(row)))
}

/// Invents samples in the shape of a column or table, in place of those that were invented before.
#[pg_extern(volatile, parallel_unsafe)]
fn invent_samples(
    object: Option<Text<'_>>,
    count: default!(Option<i32>, "NULL"),
) -> Result<TableIterator<'static, (name!(id, i64), name!(sample, JsonB))>, ErrorReport> {
    let object = object.as_deref();
    let stored = samples::invent(object, count).map_err(report)?;
    Ok(TableIterator::new(stored.into_iter().map(row)))
}

fn row(stored: Stored) -> (i64, JsonB) {
    (stored.id, JsonB(stored.sample))
}

/// Removes a sample.
#[pg_extern(volatile, parallel_unsafe)]
fn drop_sample(id: Option<i64>) -> Result<(), ErrorReport> {
    samples::drop_sample(id).map_err(report)
}

/// Proposes columns whose frequent values have nothing private in them, with the statement that consents.
#[pg_extern(volatile, parallel_unsafe)]
fn suggest_samples(
    objects: default!(Option<Texts>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(object, String),
            name!(shows, String),
            name!(reason, String),
            name!(statement, String),
        ),
    >,
    ErrorReport,
> {
    let suggested = samples::suggest(&elements(objects, "objects")?).map_err(report)?;
    Ok(TableIterator::new(suggested.into_iter().map(|one| {
        (one.object, one.shows, one.reason, one.statement)
    })))
}
