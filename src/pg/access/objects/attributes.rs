//! The columns of an open relation.

use pgrx::pg_sys;

use crate::pg::server::compat::tuple_descriptor;

/// The columns of an open relation, including dropped ones.
///
/// # Safety
/// The relation is open for as long as the slice is used.
pub(crate) unsafe fn attributes<'a>(
    relation: pg_sys::Relation,
) -> &'a [pg_sys::FormData_pg_attribute] {
    // SAFETY: by contract.
    unsafe { tuple_descriptor::attributes((*relation).rd_att) }
}
