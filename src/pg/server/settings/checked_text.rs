//! Text settings whose values are checked when they are set, so that a mistake is an error of the SET and not
//! of the next question; and numbers with units as accepted by SET.

use std::ffi::{CStr, CString, c_char, c_void};

use pgrx::guc::{GucContext, GucFlags, GucRegistry, GucSetting};
use pgrx::pg_sys;

use crate::pg::server::spi::encoding::text_of;

/// A setting that checks its values.
pub(crate) trait CheckedText {
    /// The error for a value. Reads only the text, and never panics.
    fn check(text: &str) -> Result<(), String>;

    /// An example of a valid SET.
    fn hint() -> String;
}

/// Defines a text setting that refuses the values that `T` refuses.
pub(crate) fn define<T: CheckedText>(
    name: &'static CStr,
    short_description: &'static CStr,
    long_description: &'static CStr,
    setting: &'static GucSetting<Option<CString>>,
    context: GucContext,
) {
    // SAFETY: called from `_PG_init`; the hook has the right type, and raises and unwinds nothing.
    unsafe {
        GucRegistry::define_string_guc_with_hooks(
            name,
            short_description,
            long_description,
            setting,
            context,
            GucFlags::default(),
            Some(check::<T>),
            None,
            None,
        );
    }
}

/// The check hook of PostgreSQL: false refuses the value, with a detail and a hint.
unsafe extern "C-unwind" fn check<T: CheckedText>(
    value: *mut *mut c_char,
    _extra: *mut *mut c_void,
    _source: pg_sys::GucSource::Type,
) -> bool {
    // SAFETY: PostgreSQL hands over a pointer to the new value, NULL or NUL-terminated.
    let text = unsafe { text_of(*value) };
    let Err(problem) = T::check(&text) else {
        return true;
    };
    // SAFETY: main thread; PostgreSQL reads both right after this, before its error context is reset.
    unsafe {
        pg_sys::GUC_check_errdetail_string = in_error_context(problem);
        pg_sys::GUC_check_errhint_string = in_error_context(T::hint());
    }
    false
}

/// The unit of a number without one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unit {
    /// As of `max_result_size`.
    Kilobytes,
    /// As of `query_timeout`.
    Milliseconds,
}

/// A number with a unit, such as `64MB` or `5s`, as accepted by SET.
pub(crate) fn number_with_unit(text: &str, unit: Unit) -> Option<i32> {
    let text = CString::new(text).ok()?;
    let flags = match unit {
        Unit::Kilobytes => pg_sys::GUC_UNIT_KB,
        Unit::Milliseconds => pg_sys::GUC_UNIT_MS,
    };
    let mut number = 0;
    // SAFETY: NUL-terminated text; no hint is asked for, and nothing is raised.
    let is_read = unsafe {
        pg_sys::parse_int(
            text.as_ptr(),
            &raw mut number,
            i32::try_from(flags).ok()?,
            std::ptr::null_mut(),
        )
    };
    is_read.then_some(number)
}

/// A copy that lives as long as its error; NULL for a text with a NUL.
fn in_error_context(text: String) -> *mut c_char {
    match CString::new(text) {
        // SAFETY: the error context always exists; the text is NUL-terminated.
        Ok(text) => unsafe { pg_sys::MemoryContextStrdup(pg_sys::ErrorContext, text.as_ptr()) },
        Err(_) => std::ptr::null_mut(),
    }
}
