//! The kinds of nodes that a statement may contain, and the properties of nodes that follow from their kind.
//! Other kinds are refused, so that those of a new major version are refused until somebody has judged them.

use pgrx::pg_sys::{self, NodeTag};

use crate::pg::server::compat::sql_json;

/// Kinds of nodes without a specific rule: their functions and children are judged.
pub(crate) fn is_harmless(tag: NodeTag) -> bool {
    matches!(
        tag,
        NodeTag::T_Var
            | NodeTag::T_Aggref
            | NodeTag::T_GroupingFunc
            | NodeTag::T_WindowFunc
            | NodeTag::T_SubscriptingRef
            | NodeTag::T_NamedArgExpr
            | NodeTag::T_OpExpr
            | NodeTag::T_DistinctExpr
            | NodeTag::T_NullIfExpr
            | NodeTag::T_ScalarArrayOpExpr
            | NodeTag::T_BoolExpr
            | NodeTag::T_SubLink
            | NodeTag::T_FieldSelect
            | NodeTag::T_ConvertRowtypeExpr
            | NodeTag::T_CollateExpr
            | NodeTag::T_CaseExpr
            | NodeTag::T_CaseWhen
            | NodeTag::T_CaseTestExpr
            | NodeTag::T_ArrayExpr
            | NodeTag::T_RowExpr
            | NodeTag::T_RowCompareExpr
            | NodeTag::T_CoalesceExpr
            | NodeTag::T_MinMaxExpr
            | NodeTag::T_SQLValueFunction
            | NodeTag::T_XmlExpr
            | NodeTag::T_NullTest
            | NodeTag::T_BooleanTest
            | NodeTag::T_TargetEntry
            | NodeTag::T_RangeTblRef
            | NodeTag::T_JoinExpr
            | NodeTag::T_FromExpr
            | NodeTag::T_CommonTableExpr
            | NodeTag::T_CTESearchClause
            | NodeTag::T_RangeTblFunction
            | NodeTag::T_List
            | NodeTag::T_IntList
            | NodeTag::T_OidList
            | NodeTag::T_GroupingSet
    )
}

/// Kinds of nodes for which `src/pg/access/guard/tree.rs` has a specific rule.
fn has_rule(tag: NodeTag) -> bool {
    matches!(
        tag,
        NodeTag::T_Query
            | NodeTag::T_RangeTblEntry
            | NodeTag::T_TableSampleClause
            | NodeTag::T_TableFunc
            | NodeTag::T_CoerceToDomain
            | NodeTag::T_CoerceViaIO
            | NodeTag::T_FuncExpr
            | NodeTag::T_Const
            | NodeTag::T_RelabelType
            | NodeTag::T_ArrayCoerceExpr
            | NodeTag::T_Param
            | NodeTag::T_SortGroupClause
            | NodeTag::T_SetOperationStmt
            | NodeTag::T_WindowClause
            | NodeTag::T_CTECycleClause
    )
}

/// Whether the node is of a kind that was judged, for the trees that the rewriter adds to a statement.
///
/// # Safety
/// `node` is a valid node of an analysed tree.
pub(crate) unsafe fn is_judged(node: *mut pg_sys::Node) -> bool {
    // SAFETY: by contract.
    let (tag, sql_json) = unsafe { ((*node).type_, sql_json::of_node(node)) };
    is_harmless(tag) || has_rule(tag) || sql_json.is_some()
}

/// Whether a node of this kind has no children. Saves calls of the core walker, which are half of all calls in
/// an ordinary statement.
pub(crate) fn is_leaf(tag: NodeTag) -> bool {
    matches!(
        tag,
        NodeTag::T_Var | NodeTag::T_Const | NodeTag::T_RangeTblRef | NodeTag::T_SortGroupClause
    )
}

/// Whether a node of this kind calls no function itself.
pub(crate) fn calls_nothing(tag: NodeTag) -> bool {
    is_leaf(tag)
        || matches!(
            tag,
            NodeTag::T_List
                | NodeTag::T_TargetEntry
                | NodeTag::T_FromExpr
                | NodeTag::T_JoinExpr
                | NodeTag::T_BoolExpr
                | NodeTag::T_SubLink
                | NodeTag::T_CaseExpr
                | NodeTag::T_CaseWhen
                | NodeTag::T_CoalesceExpr
                | NodeTag::T_NullTest
                | NodeTag::T_RelabelType
        )
}
