//! The operands of binary operators, which form chains of any length.

use pgrx::pg_sys::NodeTag;
use pgrx::{PgList, pg_sys};

/// The operands of a binary operator. A chain such as `a || b || c` is left-deep and can be long: walking it
/// must not take a stack frame for each operator.
///
/// # Safety
/// `node` is a valid node.
pub(crate) unsafe fn operands(
    node: *mut pg_sys::Node,
) -> Option<(*mut pg_sys::Node, *mut pg_sys::Node)> {
    // SAFETY: the cast follows the tag; the list holds expression nodes.
    unsafe {
        if (*node).type_ != NodeTag::T_OpExpr {
            return None;
        }
        let operands = PgList::<pg_sys::Node>::from_pg((*node.cast::<pg_sys::OpExpr>()).args);
        operands.get_ptr(0).zip(operands.get_ptr(1))
    }
}
