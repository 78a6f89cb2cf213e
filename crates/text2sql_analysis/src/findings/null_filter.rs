//! Conditions that silently drop rows with NULL: `<>`, NOT LIKE, NOT IN (…), NOT (…) on a column that contains NULLs, in
//! WHERE, in the filter of an aggregate and in CASE; and comparisons with NULL, which drop all.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator, Value};
use text2sql_phrases::say;

use super::finding::COUNTED;
use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::quote_identifier;
use text2sql_sql::tree::syntax::{is_comparison, is_constant, is_null, without_parentheses};
use text2sql_sql::tree::walk::{grouped_expressions, walk};
use text2sql_sql::tree::{Block, Place, Reference, Rows, Tree};

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    for (position, block) in tree.blocks.iter().enumerate() {
        let filters = block.filters();
        for filter in &filters {
            // The other conjuncts decide together with it.
            let lost = lost_rows(block, filter, &filters);
            of_condition(tree, position, filter, &filters, lost.as_deref(), found);
        }
        for expression in grouped_expressions(block.select, block.query) {
            walk(expression, &mut |part| match part {
                Expr::Function(function) => {
                    if let Some(filter) = &function.filter {
                        of_condition(tree, position, filter, &filters, None, found);
                    }
                }
                Expr::Case {
                    operand: None,
                    conditions,
                    else_result,
                    ..
                } => {
                    // ELSE takes the rows with NULL: then somebody decided about them.
                    let is_zero = |part: &Expr| is_constant(part);
                    if else_result.as_deref().is_none_or(is_zero) {
                        for when in conditions {
                            of_condition(tree, position, &when.condition, &filters, None, found);
                        }
                    }
                }
                _ => {}
            });
        }
    }
}

/// A query that counts the rows for which a condition of WHERE is NULL, of those that the other ones keep.
fn lost_rows(block: &Block<'_>, condition: &Expr, filters: &[&Expr]) -> Option<String> {
    if block.place != Place::Top {
        return None;
    }
    let (with, from) = block.frame();
    let others = filters
        .iter()
        .filter(|other| !std::ptr::eq(**other, condition));
    let others: String = others.map(|other| format!("({other}) AND ")).collect();
    Some(format!(
        "{with}SELECT count(*) {from} WHERE {others}({condition}) IS NULL HAVING count(*) > 0"
    ))
}

/// The findings of one condition; `beside` is what holds together with it, and `lost` counts the rows that it loses.
fn of_condition(
    tree: &Tree<'_>,
    position: usize,
    condition: &Expr,
    beside: &[&Expr],
    lost: Option<&str>,
    found: &mut Vec<Finding>,
) {
    walk(condition, &mut |part| found.extend(compared(part)));
    let mut excluded = Vec::new();
    exclusions(condition, false, &mut excluded);
    for (filter, column) in excluded {
        let Some(reference) = tree.resolve(position, column) else {
            continue;
        };
        // IS NULL or IS NOT NULL shows that NULLs were considered.
        let is_handled = beside
            .iter()
            .copied()
            .chain([condition])
            .any(|other| asks_for_null(tree, position, other, &reference));
        if !is_handled {
            found.extend(dropped(tree, filter, &reference, lost));
        }
    }
}

/// The finding of a comparison with NULL. NOT IN has a check of its own.
fn compared(part: &Expr) -> Option<Finding> {
    let (left, op, right) = match part {
        Expr::BinaryOp { left, op, right } => (left, op, right),
        Expr::Like { pattern: with, .. }
        | Expr::ILike { pattern: with, .. }
        | Expr::SimilarTo { pattern: with, .. } => return is_null(with).then(|| never_true(part)),
        Expr::Between {
            negated: false,
            low,
            high,
            ..
        } => return (is_null(low) || is_null(high)).then(|| never_true(part)),
        Expr::InList {
            expr,
            list,
            negated: false,
        } => return null_in_list(part, expr, list),
        _ => return None,
    };
    let value = match (is_null(left), is_null(right)) {
        (false, true) => left,
        (true, false) => right,
        _ => return None,
    };
    let finding = never_true(part);
    match op {
        BinaryOperator::Eq => Some(finding.with_fix(format!("{value} IS NULL"))),
        BinaryOperator::NotEq => Some(finding.with_fix(format!("{value} IS NOT NULL"))),
        op => is_comparison(op).then_some(finding),
    }
}

fn never_true(part: &Expr) -> Finding {
    Check::DroppedNulls.error(say!(
        "`{part}` is never true: a comparison with NULL gives NULL.",
        part
    ))
}

/// A NULL in a list was meant to find rows, and finds none.
fn null_in_list(part: &Expr, value: &Expr, list: &[Expr]) -> Option<Finding> {
    let others: Vec<String> = list
        .iter()
        .filter(|member| !is_null(member))
        .map(Expr::to_string)
        .collect();
    if others.len() == list.len() {
        return None;
    }
    let fix = match others.as_slice() {
        [] => return Some(never_true(part).with_fix(format!("{value} IS NULL"))),
        others => format!("({value} IN ({}) OR {value} IS NULL)", others.join(", ")),
    };
    let finding = Check::DroppedNulls.warning(say!(
        "The NULL in the list of `{part}` finds no row: a comparison with NULL is never true.",
        part
    ));
    Some(finding.with_fix(fix))
}

fn asks_for_null(tree: &Tree<'_>, block: usize, condition: &Expr, of: &Reference) -> bool {
    let mut asks = false;
    walk(condition, &mut |part| {
        if let Expr::IsNull(column) | Expr::IsNotNull(column) = part {
            asks |= tree.resolve(block, column).as_ref() == Some(of);
        }
    });
    asks
}

fn dropped(
    tree: &Tree<'_>,
    filter: &Expr,
    reference: &Reference,
    lost: Option<&str>,
) -> Option<Finding> {
    let source = tree.source(reference)?;
    let (Rows::Table(table), Some(true)) = (&source.rows, tree.can_be_null(reference)) else {
        return None;
    };
    let share = table
        .column(&reference.column)
        .and_then(|column| column.statistics.as_ref())
        .map(|facts| facts.null_share);
    let label = tree.label(reference);
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
        column = tree.sql(reference)
    ));
    let evidence = match lost {
        Some(_) => say!(
            "`{filter}` also drops the rows where {label} is NULL, {count} here: a comparison with NULL is never true.",
            filter,
            label,
            count = COUNTED
        ),
        None => say!(
            "`{filter}` also drops the rows where {label} is NULL{how_many}, and there \
             are such rows: a comparison with NULL is never true.",
            filter,
            label,
            how_many
        ),
    };
    let any = || {
        format!(
            "SELECT 1 FROM {} WHERE {bare} IS NULL LIMIT 1",
            table.sql_name()
        )
    };
    Some(finding.with_probe(Probe::Rows {
        sql: lost.map_or_else(any, str::to_owned),
        found: Verdict {
            severity: Severity::Warning,
            evidence,
        },
        none: None,
    }))
}

/// The comparisons of a condition that exclude some values of a column, each as it is written, with the column. A
/// negation is carried to the comparisons inside of it.
fn exclusions<'e>(condition: &'e Expr, is_negated: bool, found: &mut Vec<(&'e Expr, &'e Expr)>) {
    let mut add = |negated: bool, column: &'e Expr| {
        if negated != is_negated {
            found.push((condition, column));
        }
    };
    match without_parentheses(condition) {
        Expr::BinaryOp {
            left,
            op: BinaryOperator::And | BinaryOperator::Or,
            right,
        } => {
            exclusions(left, is_negated, found);
            exclusions(right, is_negated, found);
        }
        Expr::UnaryOp {
            op: UnaryOperator::Not,
            expr,
        } => {
            let first = found.len();
            exclusions(expr, !is_negated, found);
            // The reader knows it with its negation.
            for (written, _) in found.iter_mut().skip(first) {
                if std::ptr::eq(*written, without_parentheses(expr))
                    || std::ptr::eq(*written, &**expr)
                {
                    *written = condition;
                }
            }
        }
        Expr::BinaryOp { left, op, right } if is_comparison(op) => {
            let column = match (is_constant(left), is_constant(right)) {
                (false, true) => left,
                (true, false) => right,
                _ => return,
            };
            match op {
                _ if is_null(left) || is_null(right) => {}
                BinaryOperator::NotEq => add(true, column),
                // `flag = false` is `NOT flag`.
                BinaryOperator::Eq if !is_negated && (is_false(left) || is_false(right)) => {
                    add(true, column);
                }
                _ if is_negated => add(false, column),
                _ => {}
            }
        }
        Expr::AllOp {
            left,
            compare_op: BinaryOperator::NotEq,
            ..
        } => add(true, left),
        Expr::InList { expr, negated, .. }
        | Expr::Like { expr, negated, .. }
        | Expr::ILike { expr, negated, .. }
        | Expr::Between { expr, negated, .. } => add(*negated, expr),
        column @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_)) if is_negated => {
            found.push((condition, column));
        }
        _ => {}
    }
}

fn is_false(expression: &Expr) -> bool {
    matches!(without_parentheses(expression), Expr::Value(value) if value.value == Value::Boolean(false))
}
