//! The columns of an open relation.

use pgrx::pg_sys;

/// The columns of an open relation, including dropped ones.
///
/// # Safety
/// The relation is open for as long as the slice is used.
pub(crate) unsafe fn attributes<'a>(
    relation: pg_sys::Relation,
) -> &'a [pg_sys::FormData_pg_attribute] {
    // SAFETY: by contract; `natts` attributes follow the header.
    unsafe {
        let descriptor = (*relation).rd_att;
        let count = usize::try_from((*descriptor).natts).unwrap_or(0);
        (*descriptor).attrs.as_slice(count)
    }
}
