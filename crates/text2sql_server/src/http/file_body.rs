//! A file as the body of a request: read within limits, and converted to text in a process of its own where it is a
//! workbook.

use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use tokio::sync::Semaphore;

use super::App;
use crate::config::FileLimits;
use crate::convert::{self, Converted, Kind};
use crate::identity::Identity;
use crate::limits::Turn;
use crate::problem::Problem;

/// A client that sends slowly is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(120);
/// Files that are read at a time, by everybody together: each needs memory.
static READING: Semaphore = Semaphore::const_new(2);

/// The kind of a file of rows, by its name.
pub fn kind_of(name: &str) -> Result<Kind, Problem> {
    Kind::of_name(name)
        .filter(|kind| kind.is_table())
        .ok_or_else(|| {
            Problem::bad_request("the end of the name of the file says no kind of table")
                .with_hint("There are .csv .tsv .txt .json .jsonl .ndjson .xlsx .ods")
        })
}

/// The turn of a role to send a file, which it keeps until the file is stored: a client that sends slowly is in the way of
/// its own role alone.
pub async fn turn(app: &App, identity: &Identity) -> Result<Turn, Problem> {
    let place = app.files.enter(identity.role())?;
    Ok(place.turn(|_| {}).await)
}

/// The text of the file in the body.
pub async fn text_of(
    kind: Kind,
    limits: FileLimits,
    sheet: Option<&str>,
    encoding: Option<&str>,
    request: Request,
) -> Result<Converted, Problem> {
    let _reading = READING
        .acquire()
        .await
        .map_err(|_| Problem::shutting_down())?;
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the file is larger than {} MB", limits.bytes >> 20),
        )
        .with_hint("Load it with: text2sql-server load FILE")
    };
    let bytes = tokio::time::timeout(PATIENCE, to_bytes(request.into_body(), limits.bytes))
        .await
        .map_err(|_| {
            Problem::new(
                StatusCode::REQUEST_TIMEOUT,
                "the file did not arrive in time",
            )
        })?
        .map_err(|_| too_large())?;
    let converted = convert::convert(kind, bytes.into(), limits.conversion, sheet, encoding)
        .await
        .map_err(Problem::bad_request)?;
    converted.without_nul().map_err(Problem::bad_request)?;
    Ok(converted)
}
