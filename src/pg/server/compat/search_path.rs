//! A path of `pg_catalog` alone for internal queries. Up to PostgreSQL 16 it is pushed in front of the setting;
//! since 17 it is the setting, whose evaluation the server caches.

use pgrx::pg_sys;

/// Runs `work` with a path in which names refer to `pg_catalog`, and restores the caller's. After an ERROR the
/// end of the (sub)transaction restores it.
#[cfg(not(any(feature = "pg15", feature = "pg16")))]
pub(crate) fn with_system_path<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: inside a transaction on the main thread; the setting is USERSET, so that setting it cannot be
    // denied.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        pg_sys::RestrictSearchPath();
        let outcome = work();
        pg_sys::AtEOXact_GUC(true, level);
        outcome
    }
}

/// Runs `work` with a path in which names refer to `pg_catalog`, and restores the caller's. After an ERROR the
/// end of the (sub)transaction restores it.
#[cfg(any(feature = "pg15", feature = "pg16"))]
pub(crate) fn with_system_path<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: inside a transaction on the main thread; the path lives as long as the process.
    unsafe {
        pg_sys::PushOverrideSearchPath(system_path());
        let outcome = work();
        pg_sys::PopOverrideSearchPath();
        outcome
    }
}

#[cfg(any(feature = "pg15", feature = "pg16"))]
fn system_path() -> *mut pg_sys::OverrideSearchPath {
    use std::cell::Cell;

    thread_local! {
        static PATH: Cell<*mut pg_sys::OverrideSearchPath> = const { Cell::new(std::ptr::null_mut()) };
    }
    if PATH.get().is_null() {
        // SAFETY: allocates in a context that lives as long as the process, and switches back.
        unsafe {
            let before = pg_sys::MemoryContextSwitchTo(pg_sys::TopMemoryContext);
            let schemas = pg_sys::lappend_oid(
                std::ptr::null_mut(),
                pg_sys::Oid::from(pg_sys::PG_CATALOG_NAMESPACE),
            );
            let path = pg_sys::palloc0(size_of::<pg_sys::OverrideSearchPath>())
                .cast::<pg_sys::OverrideSearchPath>();
            (*path).schemas = schemas;
            PATH.set(path);
            pg_sys::MemoryContextSwitchTo(before);
        }
    }
    PATH.get()
}
