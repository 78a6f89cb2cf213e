//! Findings that the result of the query itself removes, so that the data need not be asked: most conditions compare
//! with a value that occurs, and a row of the result proves it.

use sqlparser::ast::{Expr, GroupByExpr};

use text2sql_domain::sql_result::Execution;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Block, Place, aggregate, aggregates};

/// What in a result shows that a possible fault is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refutation {
    /// Any row: each of them satisfies the condition.
    AnyRow,
    /// An aggregate that is neither NULL nor 0: some row satisfies the condition.
    AnyAggregate,
    /// Fewer rows than this: the limit cut none.
    FewerRowsThan(u64),
}

impl Refutation {
    /// Whether the result shows it.
    pub(super) fn holds(self, execution: &Execution) -> bool {
        match self {
            Self::AnyRow => !execution.rows.is_empty(),
            Self::AnyAggregate => execution.rows.first().is_some_and(|row| {
                let mut texts = row.iter().filter_map(|cell| cell.text.as_deref());
                texts.any(|text| text != "0")
            }),
            Self::FewerRowsThan(limit) => {
                !execution.is_truncated && (execution.rows.len() as u64) < limit
            }
        }
    }
}

/// What in the result of a statement shows that the conjuncts of a block's WHERE hold for some row.
pub(super) fn of_conjuncts(block: &Block<'_>) -> Option<Refutation> {
    let select = block.select;
    if block.place != Place::Top {
        return None;
    }
    let GroupByExpr::Expressions(groups, modifiers) = &select.group_by else {
        return None;
    };
    // A grouping set can be empty, and then gives a row for no row.
    let is_set = |group: &Expr| {
        matches!(
            group,
            Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_) | Expr::Tuple(_)
        )
    };
    if !modifiers.is_empty() || groups.iter().any(is_set) {
        return None;
    }
    if !groups.is_empty() {
        return Some(Refutation::AnyRow);
    }
    if select.having.is_some() {
        return None;
    }
    if aggregates(select, block.query).is_empty() {
        return Some(Refutation::AnyRow);
    }
    let are_aggregates = select
        .projection
        .iter()
        .all(|item| output_of(item).is_some_and(|output| aggregate(output).is_some()));
    are_aggregates.then_some(Refutation::AnyAggregate)
}

/// Whether the expression is a conjunct of the block's WHERE.
pub(super) fn is_conjunct(block: &Block<'_>, expression: &Expr) -> bool {
    let mut conjuncts = block.filters().into_iter();
    conjuncts.any(|conjunct| std::ptr::eq(without_parentheses(conjunct), expression))
}
