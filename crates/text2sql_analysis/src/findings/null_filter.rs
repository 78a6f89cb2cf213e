//! Filters that silently drop rows with NULL: `<>`, NOT LIKE, NOT IN (…), NOT (…) on a column
//! that contains NULLs.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use text2sql_language::say;

use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::quote_identifier;
use text2sql_sql::tree::syntax::{is_constant, without_parentheses};
use text2sql_sql::tree::{Rows, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let filters = block.filters();
        for filter in &filters {
            let Some(column) = excluded_column(filter) else {
                continue;
            };
            let Some(reference) = tree.resolve(position, column) else {
                continue;
            };
            let Some(source) = tree.source(&reference) else {
                continue;
            };
            let (Rows::Table(table), Some(true)) = (&source.rows, tree.can_be_null(&reference))
            else {
                continue;
            };
            // A filter with IS NULL or IS NOT NULL shows that NULLs were considered.
            let is_handled = filters.iter().any(|other| {
                matches!(without_parentheses(other), Expr::IsNull(part) | Expr::IsNotNull(part)
                    if tree.resolve(position, part).as_ref() == Some(&reference))
            });
            if is_handled {
                continue;
            }
            let share = table
                .column(&reference.column)
                .and_then(|column| column.statistics.as_ref())
                .map(|facts| facts.null_share);
            let label = tree.label(&reference);
            let (severity, how_many) = match share {
                Some(share) if share > 0.0 => (
                    Severity::Warning,
                    say!(
                        " (about {share} % of them)",
                        share = format!("{:.0}", (share * 100.0).max(1.0))
                    ),
                ),
                _ => (Severity::Note, String::new()),
            };
            let bare = quote_identifier(&reference.column);
            let finding = Finding::new(
                Check::DroppedNulls,
                severity,
                Basis::Possible,
                say!(
                    "`{filter}` also drops the rows where {label} is NULL{how_many}: a comparison \
                     with NULL is never true.",
                    filter,
                    label,
                    how_many
                ),
            )
            .with_fix(say!(
                "({filter} OR {column} IS NULL), if those rows belong to the answer",
                filter,
                column = tree.sql(&reference)
            ));
            found.push(finding.with_probe(Probe::Rows {
                sql: format!(
                    "SELECT 1 FROM {} WHERE {bare} IS NULL LIMIT 1",
                    table.sql_name()
                ),
                found: Verdict {
                    severity: Severity::Warning,
                    evidence: say!(
                        "`{filter}` also drops the rows where {label} is NULL{how_many}, and there \
                         are such rows: a comparison with NULL is never true.",
                        filter,
                        label,
                        how_many
                    ),
                },
                none: None,
            }));
        }
    }
}

/// The column of a negated comparison.
fn excluded_column(filter: &Expr) -> Option<&Expr> {
    match without_parentheses(filter) {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::NotEq,
            right,
        } => {
            if is_constant(right) {
                Some(left)
            } else {
                is_constant(left).then_some(right)
            }
        }
        Expr::InList {
            expr,
            negated: true,
            ..
        }
        | Expr::Like {
            expr,
            negated: true,
            ..
        }
        | Expr::ILike {
            expr,
            negated: true,
            ..
        }
        | Expr::Between {
            expr,
            negated: true,
            ..
        } => Some(expr),
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => match without_parentheses(expr) {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Eq,
                right,
            } if is_constant(right) => Some(left),
            Expr::InList { expr, .. } | Expr::Like { expr, .. } | Expr::ILike { expr, .. } => {
                Some(expr)
            }
            _ => None,
        },
        _ => None,
    }
}
