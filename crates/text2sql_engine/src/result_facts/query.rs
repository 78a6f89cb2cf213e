//! Parts of a query: its block, its groups, its limit.

use sqlparser::ast::{Distinct, Expr, GroupByExpr, LimitClause, Query, Select};

use text2sql_sql::tree::{Block, Place, Tree};

/// The block of the result, with its position.
pub(super) fn top<'t, 'q>(tree: &'t Tree<'q>) -> Option<(usize, &'t Block<'q>)> {
    let mut blocks = tree.blocks.iter().enumerate();
    blocks.find(|(_, block)| block.place == Place::Top)
}

pub(super) fn is_grouped(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::Expressions(groups, modifiers) => !groups.is_empty() || !modifiers.is_empty(),
        GroupByExpr::All(_) => true,
    }
}

/// Whether there are rows for groups of groups beside those of the groups, so that they do not add up.
pub(super) fn has_subtotals(select: &Select) -> bool {
    match &select.group_by {
        GroupByExpr::Expressions(groups, modifiers) => {
            let is_set = |group: &Expr| {
                matches!(
                    group,
                    Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_)
                )
            };
            !modifiers.is_empty() || groups.iter().any(is_set)
        }
        GroupByExpr::All(modifiers) => !modifiers.is_empty(),
    }
}

/// The number of rows that LIMIT or FETCH keeps from the first one; `Err` if it cannot be read.
pub(super) fn limit(query: &Query) -> Result<Option<u64>, ()> {
    let number = |expression: &Expr| expression.to_string().parse().map_err(|_| ());
    if let Some(fetch) = &query.fetch {
        let is_plain = !fetch.percent && query.limit_clause.is_none();
        return match &fetch.quantity {
            Some(quantity) if is_plain => number(quantity).map(Some),
            _ => Err(()),
        };
    }
    match &query.limit_clause {
        None => Ok(None),
        Some(LimitClause::LimitOffset {
            limit: Some(limit),
            offset: None,
            ..
        }) => number(limit).map(Some),
        Some(LimitClause::LimitOffset {
            limit: None,
            offset: None,
            ..
        }) => Ok(None),
        Some(_) => Err(()),
    }
}

pub(super) fn is_distinct_on(select: &Select) -> bool {
    matches!(select.distinct, Some(Distinct::On(_)))
}
