//! Which extensions the database has.

use pgrx::pg_sys;

/// Whether the database has Citus, under which some errors and tables mean something else.
pub(crate) fn has_citus() -> bool {
    // SAFETY: inside a transaction; `true` makes a missing extension InvalidOid instead of an error.
    unsafe { pg_sys::get_extension_oid(c"citus".as_ptr(), true) != pg_sys::InvalidOid }
}
