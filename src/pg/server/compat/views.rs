//! What the rewriter leaves of a view. Up to PostgreSQL 15 the view's body begins with range table entries for
//! the view itself; since 16 the entry of the body in the outer query keeps the view's OID.

use pgrx::pg_sys;

/// The view whose body `query` is, in a rewritten tree. `entry` is the range table entry through which the
/// query was reached, if it was reached through one.
///
/// # Safety
/// Both are valid or, the entry, NULL.
pub(crate) unsafe fn view_of_body(
    query: *const pg_sys::Query,
    entry: *const pg_sys::RangeTblEntry,
) -> Option<pg_sys::Oid> {
    let is_view = |entry: &pg_sys::RangeTblEntry, kind: pg_sys::RTEKind::Type| {
        entry.rtekind == kind && entry.relkind.cast_unsigned() == pg_sys::RELKIND_VIEW
    };
    #[cfg(feature = "pg15")]
    // SAFETY: by contract; a range table holds valid entries only.
    unsafe {
        let _ = entry;
        pgrx::PgList::<pg_sys::RangeTblEntry>::from_pg((*query).rtable)
            .get_ptr(0)
            .map(|first| &*first)
            .filter(|first| is_view(first, pg_sys::RTEKind::RTE_RELATION))
            .map(|first| first.relid)
    }
    #[cfg(not(feature = "pg15"))]
    // SAFETY: by contract.
    unsafe {
        entry
            .as_ref()
            .filter(|entry| is_view(entry, pg_sys::RTEKind::RTE_SUBQUERY))
            .filter(|entry| std::ptr::eq(entry.subquery, query))
            .map(|entry| entry.relid)
    }
}
