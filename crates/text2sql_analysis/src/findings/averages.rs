//! Averages of averages and of shares: groups of different size have the same weight.

use sqlparser::ast::{BinaryOperator, Expr};

use super::{Basis, Check, Finding, Severity};
use text2sql_phrases::{say, template};
use text2sql_sql::tree::syntax::without_parentheses;
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
    let argument = without_parentheses(call.argument?);
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
        let name = column.name.to_lowercase();
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        let comment = column.comment.as_deref().unwrap_or_default().to_lowercase();
        Some(
            words.any(|word| ["pct", "percent", "percentage"].contains(&word))
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
