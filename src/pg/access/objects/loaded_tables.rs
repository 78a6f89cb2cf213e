//! The temporary tables that this session has loaded from files: the only temporary tables that questions may use.
//!
//! Any other temporary table may have been made to be taken for a real one. These are named by the function that made
//! them, are new when they are made, and only the session's own library writes this list.

use std::cell::RefCell;
use std::collections::HashSet;

use pgrx::pg_sys;

thread_local! {
    static LOADED: RefCell<HashSet<u32>> = RefCell::new(HashSet::new());
}

/// Notes a temporary table that was loaded. If the transaction is rolled back, no table has the OID.
pub(crate) fn note(table: pg_sys::Oid) {
    LOADED.with_borrow_mut(|loaded| {
        loaded.insert(table.to_u32());
    });
}

/// Whether a relation is a table that this session has loaded, and of its own temporary schema.
pub(crate) fn is_loaded(table: pg_sys::Oid) -> bool {
    let is_noted = LOADED.with_borrow(|loaded| loaded.contains(&table.to_u32()));
    // SAFETY: look-ups in the caches by OID; a missing relation has no schema and no kind.
    is_noted
        && unsafe {
            pg_sys::isTempNamespace(pg_sys::get_rel_namespace(table))
                && pg_sys::get_rel_relkind(table).cast_unsigned() == pg_sys::RELKIND_RELATION
        }
}
