//! What the current user may read, as the privilege functions of SQL say it.

use pgrx::pg_sys;

const SELECT: pg_sys::AclMode = pg_sys::ACL_SELECT as pg_sys::AclMode;

/// Whether the current user may read every column; of what is gone, none.
pub(super) fn reads_table(relation: pg_sys::Oid) -> bool {
    let mut is_missing = false;
    // SAFETY: look-ups in the caches.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_class_aclcheck_ext(relation, user, SELECT, &raw mut is_missing)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Whether the current user was granted the column itself.
pub(super) fn reads_column(relation: pg_sys::Oid, number: i16) -> bool {
    let mut is_missing = false;
    // SAFETY: look-ups in the caches.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_attribute_aclcheck_ext(relation, number, user, SELECT, &raw mut is_missing)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Whether the current user may look into the schema.
pub(super) fn uses_schema(schema: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches; of a schema that is gone nothing is asked.
    unsafe {
        !pg_sys::get_namespace_name(schema).is_null()
            && pg_sys::pg_namespace_aclcheck(
                schema,
                pg_sys::GetUserId(),
                pg_sys::ACL_USAGE as pg_sys::AclMode,
            ) == pg_sys::AclResult::ACLCHECK_OK
    }
}
