//! Reserves the prefix of the settings when the library is loaded.

use std::ffi::CStr;

use pgrx::pg_sys;

/// Makes PostgreSQL refuse unknown settings below `prefix`, so that a typo is an error.
pub(crate) fn reserve_setting_prefix(prefix: &'static CStr) {
    // SAFETY: called from `_PG_init` on the main thread with a static, NUL-terminated name.
    unsafe { pg_sys::MarkGUCPrefixReserved(prefix.as_ptr()) }
}
