//! Averages of averages and of shares: groups of different size have the same weight.

use sqlparser::ast::{BinaryOperator, Expr};

use super::{Basis, Check, Finding, Severity};
use text2sql_language::terms::Analyzer;
use text2sql_phrases::{say, template};
use text2sql_sql::tree::syntax::{is_constant, read_call, without_parentheses};
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
                    Finding::new(
                        Check::AverageOfAverages,
                        Severity::Warning,
                        Basis::Proved,
                        say!(template, part, label),
                    )
                    .with_fix(say!("average the rows themselves, or keep sum and count of each group and divide \
                         sum(sum) by sum(count)")),
                );
            });
        }
    }
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
        Finding::new(
            Check::AverageOfAverages,
            Severity::Warning,
            Basis::Possible,
            say!(
                "`{part}` averages shares: a row with a small whole weighs as much as one with a large one.",
                part
            ),
        )
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
