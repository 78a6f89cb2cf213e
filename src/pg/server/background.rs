//! What background workers, and those who wait for one, share: a transaction whose errors are values, settings of the process.

use std::ffi::{CStr, c_int};
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use pgrx::bgworkers::BackgroundWorker;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::{PgSqlErrorCode, PgTryBuilder, pg_sys};
use text2sql_domain::error::Error;

use crate::pg::server::error::sqlstate_of;
use crate::pg::server::spi::sandbox::text_of_code;

/// Why a transaction was aborted. The DETAIL of an error of the server is left out, because it may hold values.
#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) sqlstate: String,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Failure {
    /// Whether somebody cancelled the work.
    pub(crate) fn is_cancel(&self) -> bool {
        self.sqlstate == text_of_code(PgSqlErrorCode::ERRCODE_QUERY_CANCELED as c_int)
    }

    /// Whether somebody cancelled the work, or another session was in the way.
    pub(crate) fn is_in_the_way(&self) -> bool {
        [
            PgSqlErrorCode::ERRCODE_LOCK_NOT_AVAILABLE,
            PgSqlErrorCode::ERRCODE_T_R_DEADLOCK_DETECTED,
            PgSqlErrorCode::ERRCODE_QUERY_CANCELED,
        ]
        .iter()
        .any(|code| text_of_code(*code as c_int) == self.sqlstate)
    }

    /// The message with its hint.
    pub(crate) fn with_hint(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }
}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        Self {
            sqlstate: sqlstate_of(error.kind()),
            message: error.message().to_owned(),
            hint: error.hint().map(str::to_owned),
        }
    }
}

impl From<&CaughtError> for Failure {
    fn from(caught: &CaughtError) -> Self {
        let report = match caught {
            CaughtError::PostgresError(report) | CaughtError::ErrorReport(report) => report,
            CaughtError::RustPanic { ereport, .. } => ereport,
        };
        Self {
            sqlstate: text_of_code(report.sql_error_code() as c_int),
            message: report.message().to_owned(),
            hint: report.hint().map(str::to_owned),
        }
    }
}

/// Runs `work` in a transaction of a background worker, which ends with it. A cancel may arrive at its commit too.
pub(crate) fn in_transaction<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Failure> {
    // SAFETY: the main thread of a worker, outside a transaction. Every ERROR, of the work or of the commit, arrives below
    // as an unwinding, so that the transaction ends whatever happens.
    let outcome = PgTryBuilder::new(AssertUnwindSafe(|| unsafe {
        pg_sys::SetCurrentStatementStartTimestamp();
        pg_sys::StartTransactionCommand();
        let value = work().map_err(|error| Failure::from(&error))?;
        pg_sys::CommitTransactionCommand();
        Ok(value)
    }))
    .catch_others(|caught| Err(Failure::from(&caught)))
    .execute();
    if outcome.is_err() {
        // SAFETY: as above.
        unsafe { pg_sys::AbortCurrentTransaction() };
    }
    outcome
}

/// Waits outside a transaction, at most that long; `false` where the server stops. A cancel is an error.
pub(crate) fn wait(time: Duration) -> Result<bool, Failure> {
    PgTryBuilder::new(|| Ok(BackgroundWorker::wait_latch(Some(time))))
        .catch_others(|caught| Err(Failure::from(&caught)))
        .execute()
}

/// Sets a setting of this process, if the server knows it.
pub(crate) fn set(name: &CStr, value: &CStr) {
    // SAFETY: NUL-terminated texts; the look-up returns NULL for an unknown name.
    unsafe {
        if !pg_sys::GetConfigOption(name.as_ptr(), true, false).is_null() {
            pg_sys::SetConfigOption(
                name.as_ptr(),
                value.as_ptr(),
                pg_sys::GucContext::PGC_SUSET,
                pg_sys::GucSource::PGC_S_OVERRIDE,
            );
        }
    }
}

/// Sleeps until a worker starts or ends, or it is time to look.
pub(crate) fn wait_for_worker(milliseconds: std::ffi::c_long) {
    let events = pg_sys::WL_LATCH_SET | pg_sys::WL_TIMEOUT | pg_sys::WL_EXIT_ON_PM_DEATH;
    // SAFETY: main thread; `MyLatch` is the latch of this process.
    unsafe {
        let woken = pg_sys::WaitLatch(
            pg_sys::MyLatch,
            events as i32,
            milliseconds,
            pg_sys::PG_WAIT_EXTENSION,
        );
        if woken as u32 & pg_sys::WL_LATCH_SET != 0 {
            pg_sys::ResetLatch(pg_sys::MyLatch);
        }
    }
    pgrx::check_for_interrupts!();
}

/// Whether a command is about to drop, copy, rename or move the database.
pub(crate) fn is_database_wanted() -> bool {
    let tag = pg_sys::LOCKTAG {
        locktag_field1: 0,
        locktag_field2: pg_sys::DatabaseRelationId.to_u32(),
        // SAFETY: set at backend start, read only.
        locktag_field3: unsafe { pg_sys::MyDatabaseId.to_u32() },
        locktag_field4: 0,
        locktag_type: pg_sys::LockTagType::LOCKTAG_OBJECT as u8,
        locktag_lockmethodid: pg_sys::DEFAULT_LOCKMETHOD as u8,
    };
    // The lock of a session that connects: such commands hold one that excludes it.
    let mode = pg_sys::RowExclusiveLock as pg_sys::LOCKMODE;
    // SAFETY: main thread, inside a transaction; does not wait, and is released at once.
    unsafe {
        let taken = pg_sys::LockAcquire(&tag, mode, false, true);
        let is_free = taken != pg_sys::LockAcquireResult::LOCKACQUIRE_NOT_AVAIL;
        if is_free {
            pg_sys::LockRelease(&tag, mode, false);
        }
        !is_free
    }
}
