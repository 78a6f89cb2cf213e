//! GROUP BY in analysed trees. Since PostgreSQL 18 the grouped expressions stand in a range table entry of their
//! own, and the rest of the query refers to its columns by `Var` nodes.

use pgrx::pg_sys;

/// Whether the entry only holds the grouped expressions of its query. The walkers of the server descend into
/// them.
pub(crate) fn is_group(entry: &pg_sys::RangeTblEntry) -> bool {
    #[cfg(feature = "pg18")]
    {
        entry.rtekind == pg_sys::RTEKind::RTE_GROUP
    }
    #[cfg(not(feature = "pg18"))]
    {
        let _ = entry;
        false
    }
}

/// The grouped expressions of such an entry; NULL for any other entry.
pub(crate) fn expressions(entry: &pg_sys::RangeTblEntry) -> *mut pg_sys::List {
    #[cfg(feature = "pg18")]
    if is_group(entry) {
        return entry.groupexprs;
    }
    let _ = entry;
    std::ptr::null_mut()
}

/// The expression that a node of `query` stands for: the grouped expression for a reference to one, otherwise
/// the node itself.
///
/// # Safety
/// `node` is a valid node of `query`, at its level, and the query is analysed.
pub(crate) unsafe fn resolve(
    query: *mut pg_sys::Query,
    node: *mut pg_sys::Node,
) -> *mut pg_sys::Node {
    #[cfg(feature = "pg18")]
    // SAFETY: by contract; the cast follows the tag, and lists of a query hold what their names say.
    unsafe {
        if (*node).type_ != pg_sys::NodeTag::T_Var {
            return node;
        }
        let reference = &*node.cast::<pg_sys::Var>();
        let place = |number: i64| usize::try_from(number - 1).ok();
        let entries = pgrx::PgList::<pg_sys::RangeTblEntry>::from_pg((*query).rtable);
        let grouped = place(reference.varno.into())
            .filter(|_| reference.varlevelsup == 0)
            .and_then(|place| entries.get_ptr(place))
            .map(|entry| expressions(&*entry))
            .and_then(|list| {
                let list = pgrx::PgList::<pg_sys::Node>::from_pg(list);
                list.get_ptr(place(reference.varattno.into())?)
            });
        grouped.unwrap_or(node)
    }
    #[cfg(not(feature = "pg18"))]
    {
        let _ = query;
        node
    }
}
