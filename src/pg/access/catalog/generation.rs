//! Follows catalog changes of other sessions, and counts them.

use pgrx::pg_sys;

use super::cache::{self, CACHE};
use super::visibility::Scope;
use super::{annotations, column_words, invalidation};

/// Incremented whenever tables or privileges may have changed; whatever depends on both is cached with it.
pub(crate) fn catalog_generation() -> u64 {
    prepare();
    cache::generation()
}

/// Applies changes of other sessions, and returns the current role, which a caller may have switched for one
/// call, and the visibility rules of the current settings.
pub(super) fn prepare() -> (u32, Scope) {
    invalidation::register();
    // SAFETY: inside a transaction, as every call from SQL is; may raise only what any look-up may.
    unsafe { pg_sys::AcceptInvalidationMessages() };
    if let Some(changes) = invalidation::take_changes() {
        let are_annotations_stale =
            annotations::sources().any(|source| changes.has_relation(source));
        CACHE.with_borrow_mut(|cache| cache.forget(&changes, are_annotations_stale));
        column_words::forget(&changes);
    }
    let scope = Scope::current();
    CACHE.with_borrow_mut(|cache| cache.keep_only(&scope));
    // SAFETY: reads a variable.
    (unsafe { pg_sys::GetUserId() }.to_u32(), scope)
}

/// The same number, and whether the state of the search index may have changed since the last call with these tables,
/// which hold it.
pub(crate) fn generation_and_change_of_index(tables: [u32; 4]) -> (u64, bool) {
    prepare();
    let has_changed = invalidation::take_change_of_index(tables);
    (cache::generation(), has_changed)
}
