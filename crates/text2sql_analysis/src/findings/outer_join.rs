//! Conditions that undo an outer join: they can only be true for rows with a match.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use text2sql_domain::words;
use text2sql_phrases::say;

use super::fan_out::called;
use super::{Basis, Check, Finding, Severity};
use text2sql_sql::tree::syntax::{is_comparison, without_parentheses};
use text2sql_sql::tree::{JoinKind, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        if block.sources.iter().any(|source| source.is_nested) {
            continue;
        }
        for (number, source) in block.sources.iter().enumerate() {
            if !tree.is_optional(position, number) || source.join == JoinKind::Full {
                continue;
            }
            let name = called(&source.name, source.table().map(|table| table.sql_name()));
            let where_filters = block.filters().into_iter().map(|filter| (filter, "WHERE"));
            let later_joins = block
                .sources
                .iter()
                .skip(number + 1)
                .filter(|later| later.join == JoinKind::Inner)
                .flat_map(|later| later.conditions.iter().map(|condition| (*condition, "ON")));
            for (condition, clause) in where_filters.chain(later_joins) {
                if !rejects_nulls(tree, position, number, condition) {
                    continue;
                }
                let is_meant = matches!(without_parentheses(condition), Expr::IsNotNull(_));
                let severity = if is_meant {
                    Severity::Note
                } else {
                    Severity::Warning
                };
                let fix = match clause {
                    "WHERE" => say!(
                        "move `{condition}` into the ON of {name}, or write JOIN if rows without \
                         a match do not belong to the answer",
                        condition,
                        name
                    ),
                    _ => say!("make the later join a LEFT JOIN as well, or the earlier one a JOIN"),
                };
                found.push(
                    Finding::new(
                        Check::UndoneOuterJoin,
                        severity,
                        Basis::Proved,
                        say!(
                            "`{condition}` in {clause} is never true where {name} has no match, so \
                             the outer join keeps no row that an inner one would drop.",
                            condition,
                            clause,
                            name
                        ),
                    )
                    .with_fix(fix),
                );
            }
        }
    }
}

/// Whether a condition can only be true if the source's columns are not NULL.
pub(crate) fn rejects_nulls(
    tree: &Tree<'_>,
    block: usize,
    source: usize,
    condition: &Expr,
) -> bool {
    let strict = |part: &Expr| is_strict(tree, block, source, part);
    match without_parentheses(condition) {
        Expr::BinaryOp { left, op, right } => match op {
            BinaryOperator::And => {
                rejects_nulls(tree, block, source, left)
                    || rejects_nulls(tree, block, source, right)
            }
            BinaryOperator::Or => {
                rejects_nulls(tree, block, source, left)
                    && rejects_nulls(tree, block, source, right)
            }
            op if is_comparison(op) => strict(left) || strict(right),
            _ => false,
        },
        // A boolean column is a condition by itself, and so is its negation.
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => strict(condition),
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => match without_parentheses(expr) {
            // NOT over AND and OR can be true if one side is NULL.
            Expr::BinaryOp {
                op: BinaryOperator::And | BinaryOperator::Or,
                ..
            } => false,
            Expr::IsNotNull(_) | Expr::IsTrue(_) | Expr::IsFalse(_) => false,
            inner => rejects_nulls(tree, block, source, inner),
        },
        Expr::Between { expr, .. }
        | Expr::InList { expr, .. }
        | Expr::InSubquery { expr, .. }
        | Expr::Like { expr, .. }
        | Expr::ILike { expr, .. }
        | Expr::IsNotNull(expr)
        | Expr::IsTrue(expr)
        | Expr::IsFalse(expr) => strict(expr),
        _ => false,
    }
}

/// Whether an expression is NULL whenever the source's columns are NULL.
fn is_strict(tree: &Tree<'_>, block: usize, source: usize, expression: &Expr) -> bool {
    match without_parentheses(expression) {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => tree
            .resolve(block, expression)
            .is_some_and(|reference| reference.block == block && reference.source == source),
        Expr::Cast { expr, .. } | Expr::Extract { expr, .. } | Expr::UnaryOp { expr, .. } => {
            is_strict(tree, block, source, expr)
        }
        Expr::BinaryOp {
            left,
            op:
                BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide,
            right,
        } => is_strict(tree, block, source, left) || is_strict(tree, block, source, right),
        Expr::Function(function) => {
            let call = text2sql_sql::tree::syntax::read_call(function);
            words!("lower, upper, abs, round, date_trunc, date_part, length, trim")
                .contains(&call.name.as_str())
                && call
                    .arguments
                    .iter()
                    .any(|part| is_strict(tree, block, source, part))
        }
        _ => false,
    }
}
