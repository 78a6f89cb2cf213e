//! The privileges of the current user, as the privilege functions of SQL report them.

use pgrx::pg_sys;

use crate::pg::server::citus;
use crate::pg::server::compat::object_privileges;
use crate::pg::server::spi::encoding::text_of;

const SELECT: pg_sys::AclMode = pg_sys::ACL_SELECT as pg_sys::AclMode;

/// Whether the current user can read every column; false for a dropped table.
pub(super) fn reads_table(relation: pg_sys::Oid) -> bool {
    let mut is_missing = false;
    // SAFETY: look-ups in the caches.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_class_aclcheck_ext(relation, user, SELECT, &raw mut is_missing)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Whether the current user has a privilege on the column itself.
pub(super) fn reads_column(relation: pg_sys::Oid, number: i16) -> bool {
    let mut is_missing = false;
    // SAFETY: look-ups in the caches.
    unsafe {
        let user = pg_sys::GetUserId();
        pg_sys::pg_attribute_aclcheck_ext(relation, number, user, SELECT, &raw mut is_missing)
            == pg_sys::AclResult::ACLCHECK_OK
    }
}

/// Whether row-level security hides rows from the current user.
pub(super) fn has_row_security(relation: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches.
    let state = unsafe { pg_sys::check_enable_rls(relation, pg_sys::InvalidOid, true) };
    state == pg_sys::CheckEnableRlsResult::RLS_ENABLED as std::ffi::c_int
}

/// Whether the current user has USAGE on the schema.
pub(super) fn uses_schema(schema: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches; of a schema that is gone nothing is asked.
    unsafe {
        !pg_sys::get_namespace_name(schema).is_null()
            && object_privileges::uses_schema(schema, pg_sys::GetUserId())
    }
}

/// A table for which the system caches show that every column is readable and that no rule of
/// `sql/queries/readable_tables.sql` excludes it. All other relations need that query.
pub(crate) struct PlainTable {
    pub(crate) schema: u32,
    pub(super) schema_name: String,
    pub(super) name: String,
    pub(super) kind: u8,
    pub(super) has_children: bool,
    pub(super) rows: f32,
    /// How many columns it has, those that were dropped among them.
    pub(super) columns: usize,
}

impl PlainTable {
    /// The table, if it is a plain one.
    pub(crate) fn of(oid: u32) -> Option<Self> {
        let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
        let relation = pg_sys::Oid::from(oid);
        // SAFETY: the row is read between look-up and release; a name ends with NUL. A namespace's name is
        // palloc'd or NULL.
        let table = unsafe {
            let tuple = pg_sys::SearchSysCache1(cache, relation.into());
            if tuple.is_null() {
                return None;
            }
            let form = &*pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_class>();
            let kind = form.relkind.cast_unsigned();
            let is_plain =
                matches!(kind, b'r' | b'p') && !form.relispartition && form.relispopulated;
            let table = is_plain.then(|| Self {
                schema: form.relnamespace.to_u32(),
                schema_name: text_of(pg_sys::get_namespace_name(form.relnamespace)),
                name: text_of(form.relname.data.as_ptr()),
                kind,
                has_children: form.relhassubclass,
                rows: form.reltuples,
                columns: usize::try_from(form.relnatts).unwrap_or(0),
            });
            pg_sys::ReleaseSysCache(tuple);
            table?
        };
        let is_usual = !table.schema_name.is_empty()
            && !table.schema_name.starts_with("pg_")
            && !table.schema_name.starts_with("text2sql")
            && table.schema_name != "information_schema"
            && !citus::is_internal_relation(relation, &table.schema_name, &table.name);
        let may_read = is_usual && uses_schema(table.schema.into()) && reads_table(relation);
        may_read.then_some(table)
    }
}
