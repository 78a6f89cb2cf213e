//! Integer division: a quotient of integers loses its fraction.

use sqlparser::ast::{BinaryOperator, Expr, Value};
use text2sql_phrases::say;

use super::{Check, Finding};
use text2sql_domain::schema::TypeCategory;
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::{expressions, walk};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            let mut rounded: Vec<&Expr> = Vec::new();
            walk(expression, &mut |part| {
                // `x / 10 * 10` rounds down intentionally.
                if let Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Multiply,
                    right,
                } = part
                {
                    for (quotient, factor) in [(left, right), (right, left)] {
                        if divisor(quotient).is_some_and(|by| by == without_parentheses(factor)) {
                            rounded.push(without_parentheses(quotient));
                        }
                    }
                }
                let Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Divide,
                    right,
                } = part
                else {
                    return;
                };
                let whole =
                    |side: &Expr| tree.category(position, side) == Some(TypeCategory::Integer);
                let are_numbers = is_number(left) && is_number(right);
                if !whole(left) || !whole(right) || are_numbers || rounded.contains(&part) {
                    return;
                }
                found.push(
                    Check::IntegerDivision
                        .warning(say!(
                            "`{part}` divides whole numbers: the fraction is cut off, 7 / 2 is 3.",
                            part
                        ))
                        .with_fix(format!("{left}::numeric / {right}")),
                );
            });
        }
    }
}

fn divisor(expression: &Expr) -> Option<&Expr> {
    match without_parentheses(expression) {
        Expr::BinaryOp {
            op: BinaryOperator::Divide,
            right,
            ..
        } => Some(without_parentheses(right)),
        _ => None,
    }
}

fn is_number(expression: &Expr) -> bool {
    matches!(without_parentheses(expression), Expr::Value(value)
        if matches!(value.value, Value::Number(..)))
}
