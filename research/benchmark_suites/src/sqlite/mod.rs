//! Reads databases of SQLite.

mod schema;

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};

use crate::failure::Failure;
use crate::value::Raw;

pub(crate) use self::schema::read as read_schema;

/// Number of steps of SQLite's machine between two looks at the clock.
const STEPS: i32 = 10_000;

/// Opens a file for reading.
pub(crate) fn open(file: &Path) -> Result<Connection, Failure> {
    Connection::open_with_flags(
        file,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Hands each row of a table to a function.
pub(crate) fn each_row(
    connection: &Connection,
    table: &str,
    mut take: impl FnMut(&[Raw]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut statement = connection.prepare(&format!("SELECT * FROM {}", quoted(table)))?;
    let width = statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        take(&raw(row, width)?)?;
    }
    Ok(())
}

/// The names and rows of a query, or why there are none: it fails, takes too long, or has more rows than that.
pub(crate) fn run(
    connection: &mut Connection,
    sql: &str,
    timeout: Duration,
    most_rows: usize,
) -> Result<(Vec<String>, Vec<Vec<Raw>>), String> {
    let end = Instant::now() + timeout;
    let words = |error: rusqlite::Error| match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => {
            format!("takes more than {} seconds", timeout.as_secs())
        }
        _ => error.to_string(),
    };
    connection
        .progress_handler(STEPS, Some(move || Instant::now() > end))
        .map_err(words)?;
    let found = (|| {
        let mut statement = connection.prepare(sql).map_err(words)?;
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).map_err(words)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(words)? {
            if found.len() == most_rows {
                return Err(format!("has more than {most_rows} rows"));
            }
            found.push(raw(row, names.len()).map_err(words)?);
        }
        Ok((names, found))
    })();
    let _ = connection.progress_handler(0, None::<fn() -> bool>);
    found
}

fn raw(row: &Row<'_>, width: usize) -> Result<Vec<Raw>, rusqlite::Error> {
    (0..width)
        .map(|place| {
            Ok(match row.get_ref(place)? {
                ValueRef::Null => Raw::Null,
                ValueRef::Integer(number) => Raw::Integer(number),
                ValueRef::Real(number) => Raw::Real(number),
                ValueRef::Text(bytes) => Raw::Text(String::from_utf8_lossy(bytes).into_owned()),
                ValueRef::Blob(bytes) => Raw::Blob(bytes.to_vec()),
            })
        })
        .collect()
}

/// A name in quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
