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
/// Files that arrive at a time, of as many roles, and files that are read: each needs memory.
static ARRIVING: Semaphore = Semaphore::const_new(8);
static READING: Semaphore = Semaphore::const_new(2);

/// Fails where the role may not import; nothing is called.
const MAY_IMPORT: &str = "SELECT '{}'::text WHERE NOT EXISTS ( \
    SELECT FROM text2sql.import_knowledge('', 'documents', source => '', mode => 'replace') LIMIT 0)";

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

/// The same for a role that may import: what takes a minute to read is not read to be refused.
pub async fn turn_to_import(app: &App, identity: &Identity) -> Result<Turn, Problem> {
    let turn = turn(app, identity).await?;
    app.database.json(identity, MAY_IMPORT, &[]).await?;
    Ok(turn)
}

/// The text of the file in the body, of a role whose turn it is.
pub async fn text_of(
    _: &Turn,
    kind: Kind,
    limits: FileLimits,
    sheet: Option<&str>,
    encoding: Option<&str>,
    request: Request,
) -> Result<Converted, Problem> {
    let shutting_down = |_| Problem::shutting_down();
    let _arriving = ARRIVING.acquire().await.map_err(shutting_down)?;
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
    let _reading = READING.acquire().await.map_err(shutting_down)?;
    let converted = convert::convert(kind, bytes.into(), limits.conversion, sheet, encoding)
        .await
        .map_err(Problem::bad_request)?;
    converted.without_nul().map_err(Problem::bad_request)?;
    Ok(converted)
}
