//! The extension's own tables: their OIDs, and whether the current user can read them.

use std::ffi::CStr;

use pgrx::pg_sys::{self, Oid};

use crate::pg::server::compat::object_privileges;

/// The table of that name in the extension's schema; `None` where the extension is not installed.
pub(crate) fn own_table(name: &CStr) -> Option<Oid> {
    // SAFETY: look-ups in the system caches by NUL-terminated names; what does not exist is 0.
    unsafe {
        let schema = pg_sys::get_namespace_oid(c"text2sql".as_ptr(), true);
        let oid = pg_sys::get_relname_relid(name.as_ptr(), schema);
        (schema != Oid::INVALID && oid != Oid::INVALID).then_some(oid)
    }
}

/// Whether the current user can read this table of the extension.
pub(crate) fn may_read(name: &CStr) -> bool {
    own_table(name).is_some_and(|oid| {
        // SAFETY: privilege checks on a table that was just found, and on its schema.
        unsafe {
            let user = pg_sys::GetUserId();
            let ok = pg_sys::AclResult::ACLCHECK_OK;
            pg_sys::pg_class_aclcheck(oid, user, pg_sys::ACL_SELECT as pg_sys::AclMode) == ok
                && object_privileges::uses_schema(pg_sys::get_rel_namespace(oid), user)
        }
    })
}
