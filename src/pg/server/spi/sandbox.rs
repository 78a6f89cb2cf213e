//! The only place that begins a subtransaction. It is always rolled back: only the return value remains.
//!
//! [`run_and_undo`] is for SQL written by a model: read-only, and a PostgreSQL ERROR is returned as a value
//! while the caller's transaction remains usable. Errors that are not caused by the statement are raised again:
//! a cancel other than that of a limit, a shutdown, a serialization failure, no memory or disk, a broken
//! server, a Rust panic. [`keep_no_locks`] is for internal queries.

use std::ffi::{c_int, c_void};
use std::panic::AssertUnwindSafe;

use pgrx::pg_sys::panic::CaughtError;
use pgrx::{PgTryBuilder, pg_sys};
use text2sql_domain::sql_result::DatabaseError;

use crate::pg::server::spi::extensions::has_citus;

/// Proof of being inside the subtransaction. It cannot be created or kept outside.
pub(crate) struct Sandbox {
    _private: (),
}

/// Runs `work` read-only and undoes everything it did, whether it succeeded or not.
///
/// `settle` runs once when the work has ended, before anything is undone, and gets the SQLSTATE of the error if
/// there was one: it disarms timers. When the error is a cancel and `settle` returns a value, that value is the
/// error instead; otherwise the cancel is raised again.
pub(crate) fn run_and_undo<T>(
    work: impl FnOnce(&Sandbox) -> T,
    settle: impl FnOnce(Option<&str>) -> Option<DatabaseError>,
) -> Result<T, DatabaseError> {
    let mut notes = ErrorNotes::default();
    // SAFETY: a backend's only thread, inside a transaction (an SQL function is running). The
    // callback points at `notes`, which outlives it: it is taken off again below, whatever
    // happens in between, because every ERROR arrives here as an unwinding that is caught.
    let outcome = unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        // PostgreSQL puts it back when the subtransaction ends; no code can clear it before.
        pg_sys::XactReadOnly = true;
        let mut callback = pg_sys::ErrorContextCallback {
            previous: pg_sys::error_context_stack,
            callback: Some(note_error),
            arg: (&raw mut notes).cast(),
        };
        pg_sys::error_context_stack = &raw mut callback;
        let outcome = catch(|| {
            pg_sys::PushActiveSnapshot(pg_sys::GetTransactionSnapshot());
            work(&Sandbox { _private: () })
        });
        pg_sys::error_context_stack = callback.previous;

        let outcome = outcome.map_err(|caught| {
            let sqlstate = notes.sqlstate_of(&caught);
            (caught, sqlstate)
        });
        let claimed = settle(
            outcome
                .as_ref()
                .err()
                .map(|(_, sqlstate)| sqlstate.as_str()),
        );
        // Ends the executor's state, snapshots, locks, settings and the user id as well.
        pg_sys::RollbackAndReleaseCurrentSubTransaction();
        // The end of a subtransaction restores neither of these.
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
        outcome.map_err(|(caught, sqlstate)| (caught, sqlstate, claimed))
    };
    outcome.map_err(|(caught, sqlstate, claimed)| {
        if let (QUERY_CANCELED, Some(claimed)) = (sqlstate.as_str(), claimed) {
            return claimed;
        }
        if ends_the_question(&sqlstate) {
            caught.rethrow();
        }
        match caught {
            CaughtError::PostgresError(report) | CaughtError::ErrorReport(report) => {
                DatabaseError {
                    message: report.message().to_owned(),
                    detail: report.detail().map(str::to_owned),
                    hint: report.hint().map(str::to_owned),
                    position: notes.position(&sqlstate),
                    is_private: false,
                    sqlstate,
                }
            }
            panic @ CaughtError::RustPanic { .. } => panic.rethrow(),
        }
    })
}

/// Runs `work`, internal queries that read, and releases the locks that they took.
///
/// A transaction keeps every lock to its end, and a question may wait for a model long before that: an ALTER of
/// a table that retrieval read would then wait for the model. The end of the subtransaction releases the locks;
/// cached plans, caches and sequence values remain. Errors are raised again unchanged.
pub(crate) fn keep_no_locks<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: a backend's only thread, inside a transaction. As every ERROR arrives below as an
    // unwinding, the subtransaction is ended whatever happens; its end restores neither memory
    // context nor resource owner.
    let outcome = unsafe {
        if pg_sys::IsInParallelMode() {
            return work();
        }
        let context = pg_sys::CurrentMemoryContext;
        let owner = pg_sys::CurrentResourceOwner;
        pg_sys::BeginInternalSubTransaction(std::ptr::null());
        // Memory allocated by the work stays where its caller expects it.
        pg_sys::MemoryContextSwitchTo(context);
        let outcome = catch(work);
        pg_sys::RollbackAndReleaseCurrentSubTransaction();
        pg_sys::MemoryContextSwitchTo(context);
        pg_sys::CurrentResourceOwner = owner;
        outcome
    };
    match outcome {
        Ok(value) => value,
        Err(caught) => caught.rethrow(),
    }
}

/// What `work` returns, or the ERROR that it ended with.
#[expect(
    clippy::result_large_err,
    reason = "what was caught is kept whole, to be raised again"
)]
fn catch<T>(work: impl FnOnce() -> T) -> Result<T, CaughtError> {
    let mut outcome = None;
    let mut work = Some(work);
    catch_errors(&mut || outcome = work.take().map(|work| work()))?;
    // SAFETY: without an ERROR the work has been called, and has returned.
    Ok(unsafe { outcome.unwrap_unchecked() })
}

/// Not generic: pgrx's frame is compiled once.
#[expect(
    clippy::result_large_err,
    reason = "what was caught is kept whole, to be raised again"
)]
#[inline(never)]
fn catch_errors(work: &mut dyn FnMut()) -> Result<(), CaughtError> {
    PgTryBuilder::new(AssertUnwindSafe(|| {
        work();
        Ok(())
    }))
    .catch_others(Err)
    .execute()
}

const QUERY_CANCELED: &str = "57014";

/// Whether an error of this SQLSTATE is caused by the session, the transaction or the server rather than by the
/// statement. Citus raises the code of an internal error for statements that it cannot plan, and that of a connection
/// where a worker fails: both are values, the second of which ends the question in `guarded_state.rs`.
fn ends_the_question(sqlstate: &str) -> bool {
    if (sqlstate == "XX000" || sqlstate.starts_with("08")) && has_citus() {
        return false;
    }
    // 53400 is `temp_file_limit` and 54000 a value too large: both are caused by the statement.
    const RAISED_AGAIN: [&str; 7] = ["53000", "53100", "53200", "53300", "57014", "57P", "58"];
    // 40: the transaction must fail, and continuing inside it would only hide that.
    sqlstate.starts_with("XX")
        || sqlstate.starts_with("40")
        || sqlstate.starts_with("08")
        || RAISED_AGAIN.iter().any(|class| sqlstate.starts_with(class))
}

/// What pgrx drops while it turns an ERROR into an unwinding: the original SQLSTATE (pgrx knows only
/// PostgreSQL's own) and the position. An error context callback still sees both.
#[derive(Default)]
struct ErrorNotes {
    code: c_int,
    position: c_int,
}

impl ErrorNotes {
    fn sqlstate_of(&self, caught: &CaughtError) -> String {
        let report = match caught {
            CaughtError::PostgresError(report) => report,
            // Raised by Rust and not yet by PostgreSQL: no callback has seen it.
            CaughtError::ErrorReport(report) => {
                return text_of_code(report.sql_error_code() as c_int);
            }
            CaughtError::RustPanic { .. } => return "XX000".to_owned(),
        };
        let known = report.sql_error_code() as c_int;
        // pgrx says XX000 for a code it does not know.
        if known == pg_sys::errcodes::PgSqlErrorCode::ERRCODE_INTERNAL_ERROR as c_int
            && self.code != 0
        {
            return text_of_code(self.code);
        }
        text_of_code(known)
    }

    /// The position, if it was noted for this very error.
    fn position(&self, sqlstate: &str) -> Option<usize> {
        if text_of_code(self.code) != sqlstate {
            return None;
        }
        usize::try_from(self.position)
            .ok()
            .filter(|position| *position > 0)
    }
}

/// Called by PostgreSQL for every report, notices too; the error that is caught comes last.
unsafe extern "C-unwind" fn note_error(notes: *mut c_void) {
    // SAFETY: `notes` is the `ErrorNotes` of the frame that installed this callback. The two
    // functions only read the report on top of the stack, which exists while a callback runs.
    unsafe {
        let notes = &mut *notes.cast::<ErrorNotes>();
        notes.code = geterrcode();
        notes.position = geterrposition();
    }
}

// Called without pgrx, whose wrapper arms a jump buffer, to which inside error reporting nothing may
// jump. Neither function can raise an error here.
unsafe extern "C" {
    fn geterrcode() -> c_int;
    fn geterrposition() -> c_int;
}

/// The five characters of an SQLSTATE that PostgreSQL packed into an integer, six bits each.
pub(crate) fn text_of_code(code: c_int) -> String {
    (0..5)
        .map(|index| {
            let six_bits = u8::try_from((code >> (6 * index)) & 0x3F).unwrap_or(0);
            char::from(b'0' + six_bits)
        })
        .collect()
}

/// Packs five characters as PostgreSQL does.
pub(crate) fn code_of_text(sqlstate: &str) -> c_int {
    sqlstate
        .bytes()
        .take(5)
        .enumerate()
        .map(|(index, byte)| (c_int::from(byte.wrapping_sub(b'0')) & 0x3F) << (6 * index))
        .sum()
}
