//! Converts core errors to PostgreSQL errors with SQLSTATE, DETAIL and HINT.
//!
//! pgrx knows only PostgreSQL's own SQLSTATEs. SQL functions that need others are made with
//! [`entry_point`](crate::pg::server::entry), which raises the error when no Rust value is left on the stack.

use std::ffi::{c_char, c_int};

pub(crate) use pgrx::pg_sys::panic::ErrorReport;
use pgrx::{PgSqlErrorCode, pg_sys};
use text2sql_domain::answer::Answer;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::schema::quote_identifier;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_domain::validate::Rejection;

use crate::pg::server::ereport::{
    errcode, errdetail_internal, errfinish, errhint, errmsg_internal, errstart,
    internalerrposition, internalerrquery,
};
use crate::pg::server::limits::interrupt_checks;
use crate::pg::server::session::user_name;
use crate::pg::server::spi::encoding::{for_client, server_text};
use crate::pg::server::spi::sandbox::{code_of_text, text_of_code};
use crate::pg::server::sqlstate;

/// The core error as pgrx raises it.
pub(crate) fn report(error: Error) -> ErrorReport {
    if error.kind() == ErrorKind::Cancelled {
        interrupt_checks::serve();
    }
    let mut report = ErrorReport::new(
        code_of(error.kind()),
        for_client(error.message()).into_owned(),
        "pg_text2sql",
    );
    if let Some(detail) = error.detail() {
        report = report.set_detail(for_client(detail));
    }
    if let Some(hint) = error.hint() {
        report = report.set_hint(for_client(hint));
    }
    report
}

/// The SQLSTATE of a kind of error.
pub(crate) fn sqlstate_of(kind: ErrorKind) -> String {
    text_of_code(code_of(kind) as c_int)
}

fn code_of(kind: ErrorKind) -> PgSqlErrorCode {
    match kind {
        ErrorKind::Setting => PgSqlErrorCode::ERRCODE_INVALID_PARAMETER_VALUE,
        ErrorKind::Missing => PgSqlErrorCode::ERRCODE_NULL_VALUE_NOT_ALLOWED,
        ErrorKind::Undefined => PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
        ErrorKind::Setup => PgSqlErrorCode::ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        ErrorKind::Denied => PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE,
        ErrorKind::ReadOnly => PgSqlErrorCode::ERRCODE_READ_ONLY_SQL_TRANSACTION,
        ErrorKind::ModelUnreachable => PgSqlErrorCode::ERRCODE_CONNECTION_FAILURE,
        ErrorKind::ModelReply => PgSqlErrorCode::ERRCODE_EXTERNAL_ROUTINE_EXCEPTION,
        ErrorKind::Replica => PgSqlErrorCode::ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
        ErrorKind::Limit => PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED,
        ErrorKind::Complexity => PgSqlErrorCode::ERRCODE_STATEMENT_TOO_COMPLEX,
        ErrorKind::Cancelled => PgSqlErrorCode::ERRCODE_QUERY_CANCELED,
        ErrorKind::Internal => PgSqlErrorCode::ERRCODE_INTERNAL_ERROR,
    }
}

/// An error to raise, with any SQLSTATE.
#[derive(Debug, Default)]
pub(crate) struct Raised {
    /// An SQLSTATE, packed.
    pub(crate) code: c_int,
    /// Primary message.
    pub(crate) message: String,
    /// DETAIL.
    pub(crate) detail: Option<String>,
    /// HINT.
    pub(crate) hint: Option<String>,
    /// The statement that it refers to, and the character position in it, from 1.
    pub(crate) statement: Option<(String, usize)>,
}

impl From<Error> for Raised {
    fn from(error: Error) -> Self {
        Self {
            code: code_of(error.kind()) as c_int,
            message: error.message().to_owned(),
            detail: error.detail().map(str::to_owned),
            hint: error.hint().map(str::to_owned),
            statement: None,
        }
    }
}

impl Raised {
    /// An error with a message only; `sqlstate` has five characters of 0-9 and A-Z.
    pub(crate) fn new(sqlstate: &str, message: impl Into<String>) -> Self {
        Self {
            code: code_of_text(sqlstate),
            message: message.into(),
            ..Self::default()
        }
    }

    /// A question without rows, for a function without a status column.
    pub(crate) fn status(answer: Answer) -> Self {
        let mut detail = format!("status: {}", answer.status.as_str());
        for reading in &answer.readings {
            detail.push_str("\nreading: ");
            detail.push_str(reading);
        }
        Self {
            code: code_of_text(sqlstate::of_answer(&answer)),
            message: answer
                .sentence
                .unwrap_or_else(|| "the question has no answer".to_owned()),
            detail: Some(detail),
            hint: answer.hint,
            statement: None,
        }
    }

    /// A refusal of the guard, for a function without a status column.
    pub(crate) fn refusal(rejection: &Rejection, sql: &str) -> Self {
        Self {
            code: code_of_text(sqlstate::of_rule(rejection.rule)),
            message: text2sql_phrases::translated(&rejection.reason),
            detail: Some(format!("rule: {}", rejection.rule)),
            hint: rejection.remedy(&quote_identifier(&user_name())),
            statement: rejection
                .position
                .map(|position| (sql.to_owned(), position)),
        }
    }

    /// An error of the statement itself: it keeps its SQLSTATE.
    pub(crate) fn database(error: DatabaseError, sql: &str) -> Self {
        Self {
            statement: error.position.map(|position| (sql.to_owned(), position)),
            code: code_of_text(&error.sqlstate),
            message: error.message,
            detail: error.detail,
            hint: error.hint,
        }
    }

    /// Copies into server memory, so that nothing is left to drop.
    pub(crate) fn into_server_memory(self) -> Report {
        let (statement, position) = match self.statement {
            Some((statement, position)) => (Some(statement), position),
            None => (None, 0),
        };
        Report {
            code: self.code,
            message: copy(Some(self.message)),
            detail: copy(self.detail),
            hint: copy(self.hint),
            statement: copy(statement),
            position: c_int::try_from(position).unwrap_or(0),
        }
    }
}

/// An error in server memory: plain data.
#[derive(Clone, Copy)]
pub(crate) struct Report {
    code: c_int,
    message: *const c_char,
    detail: *const c_char,
    hint: *const c_char,
    statement: *const c_char,
    position: c_int,
}

/// Leaves by longjmp.
///
/// # Safety
/// No frame between here and PostgreSQL has anything to drop or catches unwinding.
pub(crate) unsafe fn raise(report: Report) -> pg_sys::Datum {
    // SAFETY: the strings are NUL-terminated and in the server's encoding; no frame between here
    // and PostgreSQL has anything to drop or catches unwinding.
    unsafe {
        errstart(pgrx::PgLogLevel::ERROR as c_int, std::ptr::null());
        errcode(report.code);
        errmsg_internal(c"%s".as_ptr(), report.message);
        if !report.detail.is_null() {
            errdetail_internal(c"%s".as_ptr(), report.detail);
        }
        if !report.hint.is_null() {
            errhint(c"%s".as_ptr(), report.hint);
        }
        if !report.statement.is_null() {
            internalerrquery(report.statement);
            internalerrposition(report.position);
        }
        errfinish(c"error.rs".as_ptr(), 0, c"pg_text2sql".as_ptr());
    }
    pg_sys::Datum::from(0_usize)
}

/// A copy in server memory and encoding; NULL for `None`.
fn copy(text: Option<String>) -> *const c_char {
    text.and_then(|text| server_text(&for_client(&text)))
        .unwrap_or(std::ptr::null())
}
