//! Averages of averages and of shares: groups of different size have the same weight.

use std::sync::Arc;

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr, SelectItem};

use super::{Check, Finding};
use text2sql_language::terms::Analyzer;
use text2sql_phrases::{say, template};
use text2sql_sql::tree::syntax::{fold, is_constant, read_call, without_parentheses};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Rows, Tree, aggregate};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                found.extend(of_shares(tree, position, part));
                let outer = match aggregate(part) {
                    Some(outer) => outer,
                    None => return,
                };
                if !matches!(outer.name.as_str(), "avg" | "sum") {
                    return;
                }
                let Some(argument) = outer.argument else {
                    return;
                };
                let averaged = tree
                    .columns_in(position, argument)
                    .into_iter()
                    .find(|reference| {
                        tree.source(reference)
                            .is_some_and(|source| match &source.rows {
                                Rows::Result(result) => {
                                    result.output(&reference.column).is_some_and(|output| {
                                        output.aggregate.as_deref() == Some("avg")
                                    })
                                }
                                _ => false,
                            })
                    });
                let Some(averaged) = averaged else {
                    let share = share_of_groups(tree, position, argument);
                    let share = share.filter(|_| outer.name == "avg");
                    found.extend(share.map(|label| of_groups(part, &label)));
                    return;
                };
                let label = tree.label(&averaged);
                let template = if outer.name == "avg" {
                    template!(
                        "`{part}` averages {label}, which is an average itself: a group of one row weighs as much as a group of a thousand."
                    )
                } else {
                    template!(
                        "`{part}` adds up {label}, which is an average itself: a group of one row weighs as much as a group of a thousand."
                    )
                };
                found.push(
                    Check::AverageOfAverages.warning(say!(template, part, label))
                    .with_fix(say!("average the rows themselves, or keep sum and count of each group and divide \
                         sum(sum) by sum(count)")),
                );
            });
        }
    }
}

/// A column that a CTE or sub-query computes as a share for each of its groups: `100.0 * count(x) / count(*)`.
fn share_of_groups(tree: &Tree<'_>, block: usize, argument: &Expr) -> Option<String> {
    let reference = tree.resolve(block, share_in(argument))?;
    let Rows::Result(result) = &tree.source(&reference)?.rows else {
        return None;
    };
    let below = tree.blocks.iter().find(|block| {
        let own = block.query.and_then(|query| tree.result_of(query));
        own.is_some_and(|own| Arc::ptr_eq(own, result))
    })?;
    let is_grouped =
        matches!(&below.select.group_by, GroupByExpr::Expressions(groups, _) if !groups.is_empty());
    let output = below.select.projection.iter().find_map(|item| match item {
        SelectItem::ExprWithAlias { expr, alias } if fold(alias) == reference.column => Some(expr),
        _ => None,
    })?;
    let is_aggregate = |side: &Expr| {
        let mut is = false;
        walk(side, &mut |part| is |= aggregate(part).is_some());
        is
    };
    let mut is_share = false;
    walk(output, &mut |part| {
        if let Expr::BinaryOp {
            left,
            op: BinaryOperator::Divide,
            right,
        } = part
        {
            is_share |= is_aggregate(left) && is_aggregate(right);
        }
    });
    (is_grouped && is_share).then(|| tree.label(&reference))
}

fn of_groups(part: &Expr, label: &str) -> Finding {
    Check::AverageOfAverages.warning(say!(
        "`{part}` averages {label}, which is a share in each group: a group of one row weighs as much as a group of a thousand.",
        part,
        label
    ))
    .with_fix(say!("divide the sum of the parts by the sum of the wholes"))
}

/// The mean of what is a share of something in each row: `avg(won / played)`, `avg(fat_pct)`.
fn of_shares(tree: &Tree<'_>, block: usize, part: &Expr) -> Option<Finding> {
    let call = aggregate(part).filter(|call| call.name == "avg")?;
    let argument = share_in(call.argument?);
    let is_column = |side: &Expr| !tree.columns_in(block, side).is_empty();
    let is_quotient = match argument {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Divide,
            right,
        } => is_column(left) && is_column(right),
        _ => false,
    };
    let is_percentage = || {
        let reference = tree.resolve(block, argument)?;
        let (_, column) = tree.column(&reference)?;
        let words = Analyzer::default().terms_of_name(&column.name).to_vec();
        let mut words = words.iter().map(String::as_str);
        let comment = column.comment.as_deref().unwrap_or_default().to_lowercase();
        Some(
            words.any(|word| ["pct", "percent", "percentag", "percentage"].contains(&word))
                || comment.contains('%')
                || comment.contains("percent"),
        )
    };
    (is_quotient || is_percentage().unwrap_or(false)).then(|| {
        Check::AverageOfAverages.doubt(say!(
            "`{part}` averages shares: a row with a small whole weighs as much as one with a large one.",
            part
        ))
        .with_fix(say!("divide the sum of the parts by the sum of the wholes"))
    })
}

/// A share without what only scales it: `100 * (a / b)`, `round(a / b, 2)`, `a / b * 100`.
fn share_in(expression: &Expr) -> &Expr {
    match without_parentheses(expression) {
        Expr::Cast { expr, .. } => share_in(expr),
        Expr::BinaryOp {
            left,
            op: BinaryOperator::Multiply,
            right,
        } => match (is_constant(left), is_constant(right)) {
            (true, false) => share_in(right),
            (false, true) => share_in(left),
            _ => expression,
        },
        Expr::Function(function) => {
            let call = read_call(function);
            match (call.name.as_str(), call.arguments.first()) {
                ("round" | "coalesce" | "abs", Some(inner)) => share_in(inner),
                _ => expression,
            }
        }
        other => other,
    }
}
