//! Why nothing is loaded, and which lines do not fit.

use std::collections::HashMap;

use pgrx::PgSqlErrorCode;
use pgrx::pg_sys::panic::CaughtError;
use text2sql_files::{Bad, FileError, OnError, Options};

use crate::pg::server::error::{ErrorReport, report};

/// Lines that do not fit by their numbers, as the server finds them.
pub(super) type BadLines = HashMap<u64, Bad>;

/// Why nothing was loaded.
pub(super) struct Refused(ErrorReport);

impl From<FileError> for Refused {
    fn from(error: FileError) -> Self {
        Self(raised(PgSqlErrorCode::ERRCODE_BAD_COPY_FILE_FORMAT, error))
    }
}

impl From<text2sql_domain::error::Error> for Refused {
    fn from(error: text2sql_domain::error::Error) -> Self {
        Self(report(error))
    }
}

impl From<ErrorReport> for Refused {
    fn from(error: ErrorReport) -> Self {
        Self(error)
    }
}

/// The error of a file with an SQLSTATE.
pub(super) fn raised(code: PgSqlErrorCode, error: FileError) -> ErrorReport {
    let mut report = ErrorReport::new(code, error.message, "pg_text2sql");
    if let Some(detail) = error.detail {
        report = report.set_detail(detail);
    }
    if let Some(hint) = error.hint {
        report = report.set_hint(hint);
    }
    report
}

/// One of these lines is too big for a row of a table, as the server says without its line.
pub(super) fn too_big(caught: &CaughtError, (first, last): (u64, u64)) -> Refused {
    let (CaughtError::PostgresError(said)
    | CaughtError::ErrorReport(said)
    | CaughtError::RustPanic { ereport: said, .. }) = caught;
    let place = match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    };
    let report = ErrorReport::new(
        said.sql_error_code(),
        format!("{place}: {}", said.message()),
        "pg_text2sql",
    );
    Refused(report.set_detail("Nothing was loaded.").set_hint(
        "A row of a table has one page, in which a value takes up to 24 bytes: leave columns out, or load them as two tables.",
    ))
}

impl Refused {
    /// As pgrx raises it.
    pub(super) fn report(self) -> ErrorReport {
        self.0
    }
}

/// Whether lines that do not fit are set aside.
pub(super) fn collects(options: &Options) -> bool {
    options.on_error == OnError::Collect
}
