//! The kinds of nodes that a statement may contain, besides those with a specific rule, and the properties of
//! nodes that follow from their kind.

use pgrx::pg_sys::NodeTag;

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
