//! The names of tables whose descriptions are not needed, from the system caches: a prompt lists hundreds.

use std::ffi::CString;

use pgrx::pg_sys;
use text2sql_domain::error::Error;
use text2sql_domain::schema::TableName;

use super::visibility::Scope;
use crate::pg::access::objects::search_path;
use crate::pg::server::spi::encoding::text_of;

/// The names of those tables that are visible to questions, in the given order. The caller of the port has
/// checked that the role may read them.
pub(super) fn names(scope: &Scope, oids: &[u32]) -> Result<Vec<TableName>, Error> {
    let path = search_path();
    let mut names = Vec::with_capacity(oids.len());
    for &oid in oids {
        let Some((schema, name)) = schema_and_name(oid.into()) else {
            continue;
        };
        if scope.shows(oid)? {
            names.push(TableName {
                oid,
                is_visible: is_visible(oid, &name, &path),
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
        (!(name.is_null() || schema.is_null())).then(|| (text_of(schema), text_of(name)))
    }
}

/// Whether the unqualified name resolves to the table now under the caller's `search_path`, whose schemas are
/// `path`: whether no schema before the table's own has a relation of this name. It takes no lock.
///
/// A prompt asks this of hundreds of tables that the session has not seen, so that the name is not looked up in the
/// table's own schema.
pub(super) fn is_visible(oid: u32, name: &str, path: &[u32]) -> bool {
    let Ok(name) = CString::new(name) else {
        return false;
    };
    if has_temporary_tables() {
        // SAFETY: looks the name up along the path, as the parser does.
        return unsafe { pg_sys::RelnameGetRelid(name.as_ptr()) }.to_u32() == oid;
    }
    // SAFETY: look-ups in the system caches; 0 for a dropped relation, and for a name that a schema does not have.
    unsafe {
        let own = pg_sys::get_rel_namespace(oid.into()).to_u32();
        let has = |schema: u32| {
            pg_sys::get_relname_relid(name.as_ptr(), schema.into()) != pg_sys::InvalidOid
        };
        path.iter()
            .copied()
            .find(|schema| *schema == own || has(*schema))
            == Some(own)
    }
}

/// Whether the session has a schema of temporary tables, which a path may have anywhere and [`search_path`] leaves
/// out.
fn has_temporary_tables() -> bool {
    let (mut schema, mut of_toast) = (pg_sys::InvalidOid, pg_sys::InvalidOid);
    // SAFETY: writes two OIDs; 0 where there is none.
    unsafe { pg_sys::GetTempNamespaceState(&raw mut schema, &raw mut of_toast) };
    schema != pg_sys::InvalidOid
}
