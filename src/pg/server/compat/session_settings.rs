//! The settings that a session, or the program that connected, has chosen itself.

use std::ffi::CStr;

use pgrx::pg_sys;

/// Names of the settings whose value is not that of the configuration, the database or the role, and that who may
/// set them can set at any time. Settings of the transaction, and the role itself, are not among them.
pub(crate) fn chosen_names() -> Vec<&'static CStr> {
    let mut names = Vec::new();
    // SAFETY: main thread. The server's list has as many pointers as it says, each to a setting with a
    // NUL-terminated name, which lives as long as the process.
    unsafe {
        for &setting in all() {
            let setting = &*setting;
            let is_chosen = setting.source >= pg_sys::GucSource::PGC_S_CLIENT
                && matches!(
                    setting.context,
                    pg_sys::GucContext::PGC_USERSET | pg_sys::GucContext::PGC_SUSET
                )
                && setting.flags.cast_unsigned() & pg_sys::GUC_NO_RESET_ALL == 0;
            if is_chosen {
                names.push(CStr::from_ptr(setting.name));
            }
        }
    }
    names
}

/// # Safety
/// Main thread; the result is read at once.
#[cfg(feature = "pg15")]
unsafe fn all() -> &'static [*mut pg_sys::config_generic] {
    // SAFETY: by contract.
    unsafe { as_slice(pg_sys::get_guc_variables(), pg_sys::GetNumConfigOptions()) }
}

/// # Safety
/// Main thread; the result is read at once.
#[cfg(not(feature = "pg15"))]
unsafe fn all() -> &'static [*mut pg_sys::config_generic] {
    let mut count = 0;
    // SAFETY: by contract; the list is palloc'd.
    unsafe {
        let first = pg_sys::get_guc_variables(&raw mut count);
        as_slice(first, count)
    }
}

/// # Safety
/// `first` is the first of `count` pointers.
unsafe fn as_slice(
    first: *mut *mut pg_sys::config_generic,
    count: std::ffi::c_int,
) -> &'static [*mut pg_sys::config_generic] {
    match usize::try_from(count) {
        // SAFETY: by contract.
        Ok(count) if !first.is_null() => unsafe { std::slice::from_raw_parts(first, count) },
        _ => &[],
    }
}
