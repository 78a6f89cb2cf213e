//! What PostgreSQL calls for each node, and for each function of a node, while it walks a tree: it hands both to the walk.

/// Defines `visit` for a walk, and `visit_function` if it judges functions. Never called from Rust: their guard would raise an
/// error past the frames of the caller.
macro_rules! visitors {
    ($walk:ty) => {
        #[pgrx::pg_guard]
        unsafe extern "C-unwind" fn visit(
            node: *mut pgrx::pg_sys::Node,
            walk: *mut std::ffi::c_void,
        ) -> bool {
            // SAFETY: the context is the walk that started this traversal, which no other code uses
            // meanwhile; the node is valid or NULL.
            unsafe { (*walk.cast::<$walk>()).node(node) }
        }
    };
    ($walk:ty, with functions) => {
        $crate::pg::access::guard::visitors::visitors!($walk);

        #[pgrx::pg_guard]
        unsafe extern "C-unwind" fn visit_function(
            oid: pgrx::pg_sys::Oid,
            walk: *mut std::ffi::c_void,
        ) -> bool {
            // SAFETY: as in `visit`.
            unsafe { (*walk.cast::<$walk>()).function(oid) }
        }
    };
}
pub(crate) use visitors;
