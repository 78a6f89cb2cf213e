//! The only place that acts with other privileges than the caller's: as the owner of the extension's tables, to
//! write records that the caller can neither forge nor erase.
//!
//! No SQL written by a caller runs here: only fixed internal statements over the extension's tables.

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};

use crate::pg::server::installed_version::require_same_version;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

const OUR_SCHEMA: &std::ffi::CStr = c"text2sql";
const EVAL_SCHEMA: &std::ffi::CStr = c"text2sql_eval";

/// Runs `work` as the owner of that table in the schema `text2sql`.
pub(crate) fn as_owner_of<T>(
    table: &std::ffi::CStr,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    as_owner(OUR_SCHEMA, table, work)
}

/// Runs `work` as the owner of that table in the schema `text2sql_eval`.
pub(crate) fn as_owner_of_eval<T>(
    table: &std::ffi::CStr,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    as_owner(EVAL_SCHEMA, table, work)
}

fn as_owner<T>(
    schema: &std::ffi::CStr,
    table: &std::ffi::CStr,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let Some(owner) = owner_in(schema, table) else {
        // Usually because it is a table of another version.
        require_same_version()?;
        let (schema, table) = (schema.to_string_lossy(), table.to_string_lossy());
        return Err(failure!(Setup, "table {schema}.{table} does not exist")
            .with_hint("ALTER EXTENSION pg_text2sql UPDATE"));
    };
    with_role(&owner, work)
}

/// The owner of that table in the schema `text2sql`; `None` if there is no such table.
pub(crate) fn owner_of(table: &std::ffi::CStr) -> Option<EffectiveRole> {
    owner_in(OUR_SCHEMA, table)
}

fn owner_in(schema: &std::ffi::CStr, table: &std::ffi::CStr) -> Option<EffectiveRole> {
    // SAFETY: look-ups in the caches with NUL-terminated names; `true` makes an unknown one
    // InvalidOid instead of an error. The tuple is used between look-up and release.
    let oid = unsafe {
        let namespace = pg_sys::get_namespace_oid(schema.as_ptr(), true);
        let oid = pg_sys::get_relname_relid(table.as_ptr(), namespace);
        let tuple = pg_sys::SearchSysCache1(
            pg_sys::SysCacheIdentifier::RELOID.cast_signed(),
            pg_sys::Datum::from(oid),
        );
        if tuple.is_null() {
            None
        } else {
            let form = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_class>();
            let owner = (*form).relowner;
            pg_sys::ReleaseSysCache(tuple);
            Some(owner)
        }
    }?;
    Some(EffectiveRole {
        oid,
        is_switched: true,
    })
}

/// Whether the extension's table of that name has no pages, hence no visible row. Many servers have no budgets
/// and no search index, and need no query to find that out.
pub(crate) fn has_no_block(table: &std::ffi::CStr) -> bool {
    // SAFETY: look-ups as above; a dropped relation is NULL, one that is opened is closed, after an
    // ERROR with the (sub)transaction.
    unsafe {
        let schema = pg_sys::get_namespace_oid(OUR_SCHEMA.as_ptr(), true);
        let oid = pg_sys::get_relname_relid(table.as_ptr(), schema);
        let lock = pg_sys::AccessShareLock.cast_signed();
        let relation = pg_sys::try_relation_open(oid, lock);
        if relation.is_null() {
            return false;
        }
        let fork = pg_sys::ForkNumber::MAIN_FORKNUM;
        let blocks = pg_sys::RelationGetNumberOfBlocksInFork(relation, fork);
        pg_sys::relation_close(relation, lock);
        blocks == 0
    }
}

/// Whether this transaction can write a record: it is not read-only, and the server is not a standby.
pub(crate) fn can_write() -> bool {
    // SAFETY: both read the state of the session.
    unsafe { !pg_sys::XactReadOnly && !pg_sys::RecoveryInProgress() }
}

/// Whether the server is a standby.
pub(crate) fn is_standby() -> bool {
    // SAFETY: reads the state of the server.
    unsafe { pg_sys::RecoveryInProgress() }
}
