//! Running a plan. PostgreSQL 18 dropped the argument that says whether the plan runs only once.

use pgrx::pg_sys;

/// Runs a started query to its end, or until its receiver wants no more rows.
///
/// # Safety
/// `ExecutorStart` was called for the query, which runs only once.
pub(crate) unsafe fn run_to_end(query: *mut pg_sys::QueryDesc) {
    let direction = pg_sys::ScanDirection::ForwardScanDirection;
    // SAFETY: by contract; 0 is no limit of rows.
    unsafe {
        #[cfg(not(feature = "pg18"))]
        pg_sys::ExecutorRun(query, direction, 0, true);
        #[cfg(feature = "pg18")]
        pg_sys::ExecutorRun(query, direction, 0);
    }
}
