//! Type names as written in SQL.

use pgrx::pg_sys;

use crate::pg::server::spi::encoding::text_of;

/// The type as written in SQL, with its modifier.
pub(crate) fn type_name(oid: pg_sys::Oid, modifier: i32) -> String {
    // SAFETY: returns a palloc'd string for any OID.
    unsafe { text_of(pg_sys::format_type_with_typemod(oid, modifier)) }
}
