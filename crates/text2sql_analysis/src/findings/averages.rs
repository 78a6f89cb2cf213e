//! Averages of averages: groups of different size have the same weight.

use super::{Basis, Check, Finding, Severity};
use text2sql_language::{say, template};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Rows, Tree, aggregate};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
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
