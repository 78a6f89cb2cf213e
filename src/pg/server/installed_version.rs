//! The version of the extension in this database, which may differ from the version of the library: a new
//! library serves all databases at once, each of which keeps its old functions and tables until
//! `ALTER EXTENSION pg_text2sql UPDATE`.
//!
//! A function of another version may have other arguments than the library reads, and the tables behind it have
//! other names. Therefore whatever answers questions, or runs an internal query, first compares the versions.

use std::cell::Cell;
use std::ffi::c_int;

use pgrx::{FromDatum, pg_sys};
use text2sql_domain::error::{Error, failure};

use crate::pg::server::memory_reserve;

/// The version of the library.
pub(crate) const LIBRARY: &str = env!("CARGO_PKG_VERSION");

thread_local! {
    /// The start of the statement in which the versions were found to be equal. The check is repeated once in
    /// each statement: another session may have updated the extension.
    static CHECKED_AT: Cell<i64> = const { Cell::new(0) };
}

/// Refuses to go on where the tables of the extension are those of another version.
pub(crate) fn require_same_version() -> Result<(), Error> {
    match other_version() {
        Some(installed) => {
            Err(failure!(Setup, "the extension of this database is version {installed}, and the library is version {LIBRARY}").with_hint(remedy(&installed)))
        }
        None => Ok(()),
    }
}

/// Refuses the call of a function of another version; `name` is asked for only then.
pub(crate) fn require_same_version_of(name: impl FnOnce() -> String) -> Result<(), Error> {
    match other_version() {
        Some(installed) => Err(refused(&name(), &installed)),
        None => Ok(()),
    }
}

/// The error of a call of a function that is part of the version `installed`.
pub(crate) fn refused(function: &str, installed: &str) -> Error {
    failure!(
        Setup,
        "function {function} belongs to version {installed} of the extension"
    )
    .with_detail(format!("The library is version {LIBRARY}."))
    .with_hint(remedy(installed))
}

fn remedy(installed: &str) -> &'static str {
    if numbers(installed) > numbers(LIBRARY) {
        "Open a new connection: this one has loaded the library before it was replaced."
    } else {
        "ALTER EXTENSION pg_text2sql UPDATE"
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

/// The version of the extension in this database where that is not the version of the library.
fn other_version() -> Option<String> {
    // SAFETY: reads a variable of the session.
    let statement = unsafe { pg_sys::GetCurrentStatementStartTimestamp() };
    if CHECKED_AT.get() == statement {
        return None;
    }
    let installed = installed()?;
    if installed == LIBRARY {
        CHECKED_AT.set(statement);
        memory_reserve::reserve();
        return None;
    }
    Some(installed)
}

/// The version in `pg_extension`; `None` where the extension is being dropped.
fn installed() -> Option<String> {
    // SAFETY: inside a transaction, as every call from SQL is. The numbers are those of the catalog, its index by
    // name and its columns of types name and text. The row is read before the scan ends; what is opened is
    // closed below or, after an ERROR, with the (sub)transaction.
    unsafe {
        let lock = pg_sys::AccessShareLock as c_int;
        let relation = pg_sys::table_open(pg_sys::ExtensionRelationId, lock);
        let mut keys = [pg_sys::ScanKeyData::default(); 1];
        let [key] = &mut keys;
        pg_sys::ScanKeyInit(
            key,
            pg_sys::Anum_pg_extension_extname as pg_sys::AttrNumber,
            pg_sys::BTEqualStrategyNumber as pg_sys::StrategyNumber,
            pg_sys::F_NAMEEQ.into(),
            pg_sys::Datum::from(c"pg_text2sql".as_ptr()),
        );
        let scan = pg_sys::systable_beginscan(
            relation,
            pg_sys::ExtensionNameIndexId.into(),
            true,
            std::ptr::null_mut(),
            1,
            keys.as_mut_ptr(),
        );
        let tuple = pg_sys::systable_getnext(scan);
        let version = if tuple.is_null() {
            None
        } else {
            let mut is_null = false;
            let datum = pg_sys::heap_getattr(
                tuple,
                pg_sys::Anum_pg_extension_extversion as c_int,
                (*relation).rd_att,
                &mut is_null,
            );
            String::from_datum(datum, is_null)
        };
        pg_sys::systable_endscan(scan);
        pg_sys::table_close(relation, lock);
        version
    }
}
