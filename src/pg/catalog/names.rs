//! The names of tables whose descriptions are not needed, from the system caches: a prompt lists hundreds.

use std::ffi::CString;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::schema::TableName;

use super::visibility::Scope;
use crate::pg::spi::encoding::text_of;

/// The names of those tables that are visible to questions, in the given order. The caller of the port has
/// checked that the role may read them.
pub(super) fn names(scope: &Scope, oids: &[u32]) -> Result<Vec<TableName>, Error> {
    let mut names = Vec::with_capacity(oids.len());
    for &oid in oids {
        let Some((schema, name)) = schema_and_name(oid.into()) else {
            continue;
        };
        if scope.shows(oid)? {
            names.push(TableName {
                oid,
                is_visible: is_visible(oid, &name),
                schema,
                name,
            });
        }
    }
    Ok(names)
}

/// Schema and name of a relation; `None` if it is gone.
fn schema_and_name(oid: pg_sys::Oid) -> Option<(String, String)> {
    // SAFETY: look-ups in the system caches, which return NULL and no OID for what is gone, and copies that end
    // with NUL for all else.
    unsafe {
        let name = pg_sys::get_rel_name(oid);
        let schema = pg_sys::get_namespace_name(pg_sys::get_rel_namespace(oid));
        match name.is_null() || schema.is_null() {
            true => None,
            false => Some((text_of(schema), text_of(name))),
        }
    }
}

/// Whether the unqualified name resolves to the table now under the caller's `search_path`.
pub(super) fn is_visible(oid: u32, name: &str) -> bool {
    CString::new(name).is_ok_and(|name| {
        // SAFETY: looks the name up along the path, as the parser does; takes no lock.
        unsafe { pg_sys::RelnameGetRelid(name.as_ptr()) }.to_u32() == oid
    })
}
