//! `text2sql.add_samples(object, samples)`: samples that every prompt shows. The consent to frequent values is
//! `protect(object, 'sample')`.

use pgrx::prelude::*;
use pgrx::{JsonB, default};
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::json_argument::JsonbArgument;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::teaching::samples::{self, Stored};

/// Stores samples that the owner wrote, values of a column or rows of a table; or invents so many in the shape of a column
/// or table, in place of those that were invented before.
#[pg_extern(volatile, parallel_unsafe)]
fn add_samples(
    object: Option<Text<'_>>,
    samples: default!(Option<JsonbArgument>, "NULL"),
    invented: default!(Option<i32>, "NULL"),
) -> Result<TableIterator<'static, (name!(id, i64), name!(sample, JsonB))>, ErrorReport> {
    let object = object.as_deref();
    let stored = match (samples, invented) {
        (None, Some(count)) => samples::invent(object, count),
        (Some(_), Some(_)) => Err(Error::new(
            ErrorKind::Setting,
            "samples are either given or invented",
        )),
        (samples, None) => samples::add(object, samples.map(|samples| samples.0)),
    };
    let stored = stored.map_err(report)?;
    Ok(TableIterator::new(stored.into_iter().map(row)))
}

fn row(stored: Stored) -> (i64, JsonB) {
    (stored.id, JsonB(stored.sample))
}
