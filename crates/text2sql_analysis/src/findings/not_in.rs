//! NOT IN with NULLs: a single NULL in the list removes all rows.

use sqlparser::ast::{BinaryOperator, Expr, Query, UnaryOperator};
use text2sql_phrases::say;

use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_sql::tree::Tree;
use text2sql_sql::tree::syntax::{is_null, without_parentheses};
use text2sql_sql::tree::walk::{expressions, walk};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let _ = position;
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| match part {
                Expr::InSubquery {
                    subquery,
                    negated: true,
                    ..
                } => found.extend(of_query(tree, subquery, part)),
                // `<> ALL` is NOT IN.
                Expr::AllOp {
                    compare_op: BinaryOperator::NotEq,
                    right,
                    ..
                } => {
                    if let Expr::Subquery(subquery) = without_parentheses(right) {
                        found.extend(of_query(tree, subquery, part));
                    }
                }
                Expr::InList {
                    list,
                    negated: true,
                    ..
                } => found.extend(of_list(list, part)),
                Expr::UnaryOp {
                    op: UnaryOperator::Not,
                    expr,
                } => match without_parentheses(expr) {
                    Expr::InSubquery {
                        subquery,
                        negated: false,
                        ..
                    } => found.extend(of_query(tree, subquery, part)),
                    Expr::InList {
                        list,
                        negated: false,
                        ..
                    } => found.extend(of_list(list, part)),
                    _ => {}
                },
                _ => {}
            });
        }
    }
}

fn of_list(list: &[Expr], whole: &Expr) -> Option<Finding> {
    list.iter().any(is_null).then(|| {
        Check::NotInWithNulls
            .error(say!(
                "`{whole}` is never true, because NULL is in the list.",
                whole
            ))
            .with_fix(say!(
                "take NULL out of the list, and add IS NOT NULL if that was meant"
            ))
    })
}

fn of_query(tree: &Tree<'_>, subquery: &Query, whole: &Expr) -> Option<Finding> {
    let output = tree.result_of(subquery)?.columns.first()?;
    if output.is_never_null {
        return None;
    }
    let name = output.name.clone().unwrap_or_else(|| say!("its value"));
    let share = output
        .origin
        .as_ref()
        .and_then(|(table, column)| table.column(column)?.statistics.as_ref())
        .map(|facts| facts.null_share);
    // The sub-query may exclude NULLs itself; then the probe finds none.
    let severity = match share {
        Some(share) if share > 0.0 => Severity::Warning,
        _ => Severity::Note,
    };
    let short = text2sql_language::english::shorten(&whole.to_string(), 120);
    let quoted = text2sql_domain::schema::quote_identifier(&name);
    Some(
        Finding::new(
            Check::NotInWithNulls,
            severity,
            Basis::Possible,
            say!(
                "If the sub-query of `{short}` gives one NULL in {name}, no row is left.",
                short,
                name
            ),
        )
        .with_fix(say!(
            "write NOT EXISTS (SELECT … WHERE … = …), or add IS NOT NULL to the sub-query"
        ))
        .with_probe(Probe::Rows {
            sql: format!(
                "SELECT 1 FROM ({subquery}) AS given({quoted}) WHERE {quoted} IS NULL LIMIT 1"
            ),
            found: Verdict {
                severity: Severity::Error,
                evidence: say!(
                    "The sub-query of `{short}` gives a NULL in {name}, so NOT IN is never true \
                     and no row is left.",
                    short,
                    name
                ),
            },
            none: None,
        }),
    )
}
