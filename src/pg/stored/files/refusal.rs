//! Why nothing is loaded, and which lines do not fit.

use std::collections::HashMap;

use pgrx::PgSqlErrorCode;
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
