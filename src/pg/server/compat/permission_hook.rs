//! The hook in the executor's check of privileges. Since PostgreSQL 16 it gets the permissions besides the
//! range table.

use std::sync::OnceLock;

use pgrx::{pg_guard, pg_sys};

use super::permissions::PlanPermissions;

/// What the hook asks when the hooks before it and the server have agreed.
type Check = fn(&PlanPermissions) -> bool;

struct Installed {
    previous: pg_sys::ExecutorCheckPerms_hook_type,
    check: Check,
}

static INSTALLED: OnceLock<Installed> = OnceLock::new();

/// Installs `check` behind the existing hook.
///
/// # Safety
/// Called while the library is being loaded, by a process' only thread.
pub(crate) unsafe fn install(check: Check) {
    // SAFETY: by contract.
    unsafe {
        let previous = pg_sys::ExecutorCheckPerms_hook;
        if INSTALLED.set(Installed { previous, check }).is_ok() {
            pg_sys::ExecutorCheckPerms_hook = Some(on_check_permissions);
        }
    }
}

#[cfg(feature = "pg15")]
#[pg_guard]
unsafe extern "C-unwind" fn on_check_permissions(
    range_table: *mut pg_sys::List,
    raise: bool,
) -> bool {
    let Some(installed) = INSTALLED.get() else {
        return true;
    };
    // SAFETY: the arguments as PostgreSQL gave them; its ERROR crosses as an unwinding.
    unsafe {
        if let Some(previous) = installed.previous
            && !pg_sys::ffi::pg_guard_ffi_boundary(|| previous(range_table, raise))
        {
            return false;
        }
        (installed.check)(&PlanPermissions::new(range_table))
    }
}

#[cfg(not(feature = "pg15"))]
#[pg_guard]
unsafe extern "C-unwind" fn on_check_permissions(
    range_table: *mut pg_sys::List,
    permissions: *mut pg_sys::List,
    raise: bool,
) -> bool {
    let Some(installed) = INSTALLED.get() else {
        return true;
    };
    // SAFETY: the arguments as PostgreSQL gave them; its ERROR crosses as an unwinding.
    unsafe {
        if let Some(previous) = installed.previous
            && !pg_sys::ffi::pg_guard_ffi_boundary(|| previous(range_table, permissions, raise))
        {
            return false;
        }
        (installed.check)(&PlanPermissions::new(range_table, permissions))
    }
}
