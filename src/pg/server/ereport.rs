//! Messages with what pgrx does not offer: SQLSTATEs of the extension, and lines that only the server log gets.

use std::ffi::{c_char, c_int};

use pgrx::pg_sys::ffi::pg_guard_ffi_boundary;
use pgrx::{PgLogLevel, pg_sys};

use crate::pg::server::spi::encoding::{for_client, server_text};
use crate::pg::server::spi::sandbox::code_of_text;

/// Writes a line to the server log only, without the statement that caused it, because that contains the
/// question. The level is the server's LOG, which the default of `log_min_messages` shows.
pub(crate) fn log(message: &str) {
    let Some(message) = server_text(message) else {
        return;
    };
    // SAFETY: the text is NUL-terminated and in the server's encoding; no level here is an error.
    unsafe {
        reported(|| {
            if errstart(pg_sys::LOG_SERVER_ONLY.cast_signed(), std::ptr::null()) {
                errmsg_internal(c"%s".as_ptr(), message);
                errhidestmt(true);
                errhidecontext(true);
                errfinish(c"ereport.rs".as_ptr(), 0, c"pg_text2sql".as_ptr());
            }
        });
    }
}

/// Whether a NOTICE would reach the client or the server log.
pub(crate) fn is_notice_wanted() -> bool {
    // SAFETY: compares settings of the session.
    unsafe { pg_sys::message_level_is_interesting(NOTICE) }
}

/// Sends a NOTICE whose DETAIL only the client gets. In the server log, if that shows notices, `logged_detail`
/// replaces it. Texts that contain a NUL are not sent.
pub(crate) fn notice(sqlstate: &str, message: &str, detail: &str, logged_detail: &str) {
    let texts = [message, detail, logged_detail].map(|text| server_text(&for_client(text)));
    let [Some(message), Some(detail), Some(logged_detail)] = texts else {
        return;
    };
    let code = code_of_text(sqlstate);
    // SAFETY: the texts are NUL-terminated and in the server's encoding; no level here is an error.
    unsafe {
        reported(|| {
            if errstart(NOTICE, std::ptr::null()) {
                errcode(code);
                errmsg_internal(c"%s".as_ptr(), message);
                errdetail_internal(c"%s".as_ptr(), detail);
                errdetail_log(c"%s".as_ptr(), logged_detail);
                errhidestmt(true);
                errhidecontext(true);
                errfinish(c"ereport.rs".as_ptr(), 0, c"pg_text2sql".as_ptr());
            }
        });
    }
}

/// Calls functions of the server that report a message which is no error. At its end the server looks for interrupts, so a
/// cancel may arrive there as an ERROR: it becomes an unwinding, as from every other function of the server.
///
/// # Safety
///
/// That of what is called, on the main thread; nothing in `report` may have to be dropped.
unsafe fn reported(report: impl FnOnce()) {
    // SAFETY: as promised by the caller.
    unsafe { pg_guard_ffi_boundary(report) };
}

const NOTICE: c_int = PgLogLevel::NOTICE as c_int;

// pgrx keeps these from its users, for good reason: see `pg::server::entry::call`.
unsafe extern "C-unwind" {
    pub(crate) fn FlushErrorState();
    pub(crate) fn errstart(level: c_int, domain: *const c_char) -> bool;
    pub(crate) fn errcode(code: c_int) -> c_int;
    pub(crate) fn errmsg_internal(format: *const c_char, ...) -> c_int;
    pub(crate) fn errdetail_internal(format: *const c_char, ...) -> c_int;
    fn errdetail_log(format: *const c_char, ...) -> c_int;
    pub(crate) fn errhint(format: *const c_char, ...) -> c_int;
    pub(crate) fn internalerrquery(query: *const c_char) -> c_int;
    pub(crate) fn internalerrposition(position: c_int) -> c_int;
    fn errhidestmt(hide: bool) -> c_int;
    fn errhidecontext(hide: bool) -> c_int;
    pub(crate) fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}
