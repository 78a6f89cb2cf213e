//! Literals that do not occur in the column they are compared with.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::say;

use super::refutation::{is_conjunct, of_conjuncts};
use super::{Basis, Check, Finding, Probe, Severity, ValueProbe};
use text2sql_domain::schema::{ColumnStatistics, TypeCategory, quote_identifier, quote_literal};
use text2sql_language::edit_distance::nearest;
use text2sql_sql::tree::syntax::{constant_text, is_constant, without_parentheses};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Block, Tree};

/// Maximum number of literals of one query that are looked up.
const MAX_LITERALS: usize = 20;

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    let before = found.len();
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                if found.len() - before < MAX_LITERALS {
                    let known = found.len();
                    compare(tree, position, part, found);
                    refute(block, part, found.get_mut(known..).unwrap_or_default());
                }
            });
        }
    }
}

/// Notes what in the result shows that the compared value occurs: the condition holds for each row that it came from.
fn refute(block: &Block<'_>, comparison: &Expr, found: &mut [Finding]) {
    let is_list = matches!(comparison, Expr::InList { .. });
    if found.is_empty() || is_list || !is_conjunct(block, comparison) {
        return;
    }
    let refutation = of_conjuncts(block);
    for finding in found {
        let is_negated = matches!(&finding.probe, Some(Probe::Value(value)) if value.is_negated);
        finding.refuted_by = refutation.filter(|_| !is_negated);
    }
}

fn compare(tree: &Tree<'_>, block: usize, expression: &Expr, found: &mut Vec<Finding>) {
    match expression {
        Expr::BinaryOp { left, op, right } => {
            let is_negated = match op {
                BinaryOperator::Eq => false,
                BinaryOperator::NotEq => true,
                _ => return,
            };
            for (column, literal) in [(left, right), (right, left)] {
                found.extend(look_up(tree, block, column, literal, None, is_negated));
            }
        }
        Expr::InList {
            expr,
            list,
            negated,
        } => {
            for literal in list {
                found.extend(look_up(tree, block, expr, literal, None, *negated));
            }
        }
        Expr::Like {
            negated,
            any: false,
            expr,
            pattern,
            escape_char: None,
        } => found.extend(look_up(tree, block, expr, pattern, Some("LIKE"), *negated)),
        Expr::ILike {
            negated,
            any: false,
            expr,
            pattern,
            escape_char: None,
        } => found.extend(look_up(tree, block, expr, pattern, Some("ILIKE"), *negated)),
        _ => {}
    }
}

fn look_up(
    tree: &Tree<'_>,
    block: usize,
    column: &Expr,
    literal: &Expr,
    pattern: Option<&'static str>,
    is_negated: bool,
) -> Option<Finding> {
    if !is_constant(literal) {
        return None;
    }
    let reference = tree.resolve(block, column)?;
    let (table, column) = tree.column(&reference)?;
    let is_text = column.category == TypeCategory::Text;
    let text = match constant_text(literal) {
        Some(text) => text.to_owned(),
        None => without_parentheses(literal).to_string(),
    };
    let is_number = matches!(
        column.category,
        TypeCategory::Integer | TypeCategory::Number | TypeCategory::Date | TypeCategory::Uuid
    );
    if text.eq_ignore_ascii_case("null") || !(is_text || is_number) {
        return None;
    }
    let place = format!("{}.{}", table.sql_name(), quote_identifier(&column.name));
    let shown = match pattern {
        Some(operator) => format!("{operator} {}", quote_literal(&text)),
        None => literal.to_string(),
    };
    let is_absent = column
        .statistics
        .as_ref()
        .is_some_and(|facts| pattern.is_none() && is_text && excludes(facts, &text));
    let severity = if is_absent {
        Severity::Warning
    } else {
        Severity::Note
    };
    // Without data, only a complete list of values is conclusive.
    let evidence = if is_absent {
        let facts = column.statistics.as_ref()?;
        let near = nearest(&text, &facts.most_common_values);
        let near = if near.is_empty() {
            String::new()
        } else {
            say!("; nearest: {quoted_list}", quoted_list = quoted_list(&near))
        };
        say!(
            "{place} does not hold {shown} by its statistics{near}.",
            place,
            shown,
            near
        )
    } else {
        String::new()
    };
    Some(
        Finding::new(Check::UnknownValue, severity, Basis::Possible, evidence).with_probe(
            Probe::Value(ValueProbe {
                table: table.sql_name(),
                column: quote_identifier(&column.name),
                literal: literal.to_string(),
                text,
                pattern,
                is_negated,
                is_text,
            }),
        ),
    )
}

/// Whether the statistics list all values of the column, and this one is not among them.
fn excludes(facts: &ColumnStatistics, text: &str) -> bool {
    let share: f64 = facts.most_common_shares.iter().sum::<f64>() + facts.null_share;
    let count = facts.most_common_values.len();
    count > 0
        && share > 0.999
        && facts
            .distinct_values
            .is_some_and(|distinct| distinct <= count as f64)
        && !facts.most_common_values.iter().any(|value| value == text)
}

/// A list of values in a sentence.
pub(super) fn quoted_list(values: &[String]) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quote_literal(value)).collect();
    quoted.join(", ")
}
