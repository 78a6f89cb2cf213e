//! Whether a relation is visible to questions: in a schema of `text2sql.allowed_schemas`, and not hidden.

use pgrx::pg_sys;
use text2sql_domain::error::Error;

use super::of_relation;
use crate::pg::access::objects::{EVAL_SCHEMA, FIRST_USER_OID, OWN_SCHEMA};
use crate::pg::server::spi::encoding::text_of;

/// Whether the relation is in scope and not hidden. Catalogs and other relations that are not user tables have
/// rules of their own.
pub(crate) fn is_available(oid: pg_sys::Oid, schemas: Option<&[String]>) -> Result<bool, Error> {
    if oid.to_u32() < FIRST_USER_OID {
        return Ok(true);
    }
    if let Some(schemas) = schemas {
        // SAFETY: look-ups in the caches, which give a palloc'd name or NULL.
        let schema = unsafe { text_of(pg_sys::get_namespace_name(pg_sys::get_rel_namespace(oid))) };
        let is_own = [OWN_SCHEMA, EVAL_SCHEMA].contains(&schema.as_str());
        let is_own = is_own || schema.starts_with("pg_") || schema.is_empty();
        if !is_own && !schemas.contains(&schema) {
            return Ok(false);
        }
    }
    Ok(!of_relation(oid)?.is_hidden())
}
