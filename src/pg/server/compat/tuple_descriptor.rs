//! The columns of a row descriptor. In PostgreSQL 18 they stand behind a compact form of themselves.

use pgrx::pg_sys;

/// The columns of a descriptor, including dropped ones.
///
/// # Safety
/// The descriptor is valid for as long as the slice is used.
pub(crate) unsafe fn attributes<'a>(
    descriptor: pg_sys::TupleDesc,
) -> &'a [pg_sys::FormData_pg_attribute] {
    // SAFETY: by contract; `natts` attributes follow each other.
    unsafe {
        let count = usize::try_from((*descriptor).natts).unwrap_or(0);
        if count == 0 {
            return &[];
        }
        #[cfg(not(feature = "pg18"))]
        {
            (*descriptor).attrs.as_slice(count)
        }
        #[cfg(feature = "pg18")]
        {
            std::slice::from_raw_parts(pg_sys::TupleDescAttr(descriptor, 0), count)
        }
    }
}
