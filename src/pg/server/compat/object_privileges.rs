//! Privileges on objects other than relations, and ownership. PostgreSQL 16 replaced a function for each kind
//! of object by `object_aclcheck` and `object_ownercheck`.

use pgrx::pg_sys;

const USAGE: pg_sys::AclMode = pg_sys::ACL_USAGE as pg_sys::AclMode;

/// Whether the role has USAGE on the schema. An unknown schema is an ERROR.
pub(crate) fn uses_schema(schema: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches.
    let verdict = unsafe {
        #[cfg(feature = "pg15")]
        {
            pg_sys::pg_namespace_aclcheck(schema, role, USAGE)
        }
        #[cfg(not(feature = "pg15"))]
        {
            pg_sys::object_aclcheck(pg_sys::NamespaceRelationId, schema, role, USAGE)
        }
    };
    verdict == pg_sys::AclResult::ACLCHECK_OK
}

/// Whether the role has USAGE on the foreign server. An unknown server is an ERROR.
pub(crate) fn uses_foreign_server(server: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches.
    let verdict = unsafe {
        #[cfg(feature = "pg15")]
        {
            pg_sys::pg_foreign_server_aclcheck(server, role, USAGE)
        }
        #[cfg(not(feature = "pg15"))]
        {
            pg_sys::object_aclcheck(pg_sys::ForeignServerRelationId, server, role, USAGE)
        }
    };
    verdict == pg_sys::AclResult::ACLCHECK_OK
}

/// Whether the role has the privileges of the database's owner.
pub(crate) fn owns_database(database: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches.
    unsafe {
        #[cfg(feature = "pg15")]
        {
            pg_sys::pg_database_ownercheck(database, role)
        }
        #[cfg(not(feature = "pg15"))]
        {
            pg_sys::object_ownercheck(pg_sys::DatabaseRelationId, database, role)
        }
    }
}

/// Whether the role has the privileges of the relation's owner.
pub(crate) fn owns_relation(relation: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches.
    unsafe {
        #[cfg(feature = "pg15")]
        {
            pg_sys::pg_class_ownercheck(relation, role)
        }
        #[cfg(not(feature = "pg15"))]
        {
            pg_sys::object_ownercheck(pg_sys::RelationRelationId, relation, role)
        }
    }
}

/// Whether the role has the privileges of the schema's owner.
pub(crate) fn owns_schema(schema: pg_sys::Oid, role: pg_sys::Oid) -> bool {
    // SAFETY: look-ups in the caches.
    unsafe {
        #[cfg(feature = "pg15")]
        {
            pg_sys::pg_namespace_ownercheck(schema, role)
        }
        #[cfg(not(feature = "pg15"))]
        {
            pg_sys::object_ownercheck(pg_sys::NamespaceRelationId, schema, role)
        }
    }
}
