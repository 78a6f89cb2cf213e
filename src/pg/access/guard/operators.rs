//! The operators of a node. An operator is judged in addition to its function: a user's `=` over a reviewed
//! function with another meaning calls nothing new, but makes the answer wrong.

use pgrx::pg_sys::{self, NodeTag, Oid};

use super::functions::FunctionRules;
use crate::pg::access::objects::FIRST_USER_OID;

/// The first operator of the node that is neither built in nor of a trusted extension.
///
/// # Safety
/// `node` is a valid node of an analysed tree.
pub(super) unsafe fn foreign_operator(
    node: *mut pg_sys::Node,
    rules: &FunctionRules,
) -> Option<Oid> {
    // SAFETY: each cast follows the node's tag; DistinctExpr and NullIfExpr are OpExpr by another
    // name; `opnos` is a list of OIDs.
    unsafe {
        let operator = match (*node).type_ {
            NodeTag::T_OpExpr | NodeTag::T_DistinctExpr | NodeTag::T_NullIfExpr => {
                (*node.cast::<pg_sys::OpExpr>()).opno
            }
            NodeTag::T_ScalarArrayOpExpr => (*node.cast::<pg_sys::ScalarArrayOpExpr>()).opno,
            NodeTag::T_RowCompareExpr => {
                let operators = (*node.cast::<pg_sys::RowCompareExpr>()).opnos;
                return pgrx::PgList::<Oid>::from_pg(operators)
                    .iter_oid()
                    .find(|oid| !is_trusted(*oid, rules));
            }
            _ => return None,
        };
        (!is_trusted(operator, rules)).then_some(operator)
    }
}

/// Whether the operator is built in or of a trusted extension.
pub(super) fn is_trusted(operator: Oid, rules: &FunctionRules) -> bool {
    operator.to_u32() < FIRST_USER_OID || rules.trusts_operator(operator)
}

/// The operator's signature.
pub(super) fn signature(operator: Oid) -> String {
    // SAFETY: returns a palloc'd string for any OID.
    unsafe { crate::pg::server::spi::encoding::text_of(pg_sys::format_operator(operator)) }
}
