//! Keys of JSON and elements of arrays that no row has.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::say;

use super::{Basis, Check, Finding, Probe, Severity, Verdict};
use text2sql_domain::schema::{Column, Table, TypeCategory, quote_identifier, quote_literal};
use text2sql_sql::tree::syntax::{constant_text, is_constant, without_parentheses};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Rows, Tree};

/// Maximum number of keys and elements looked up for one query.
const MAX_LOOKED_UP: usize = 8;

pub(super) fn check(tree: &Tree<'_>, found: &mut Vec<Finding>) {
    let before = found.len();
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| {
                if found.len() - before < MAX_LOOKED_UP {
                    found.extend(
                        key(tree, position, part).or_else(|| element(tree, position, part)),
                    );
                }
            });
        }
    }
}

/// The stored column that an expression is, of that category.
fn stored<'t>(
    tree: &'t Tree<'_>,
    block: usize,
    expression: &Expr,
    category: TypeCategory,
) -> Option<(&'t Table, &'t Column)> {
    let reference = tree.resolve(block, expression)?;
    let Rows::Table(table) = &tree.source(&reference)?.rows else {
        return None;
    };
    let column = table.column(&reference.column)?;
    (column.category == category).then_some((table, column))
}

/// `payload ->> 'key'`, also inside of another one: `payload -> 'item' ->> 'key'`.
fn key(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<Finding> {
    let (base, path) = inside(expression)?;
    let name = path.last()?;
    let (table, column) = stored(tree, block, base, TypeCategory::Json)?;
    let (table, column) = (table.sql_name(), quote_identifier(&column.name));
    let steps: Vec<String> = path.iter().map(|key| quote_literal(key)).collect();
    Some(looked_up(
        format!(
            "SELECT 1 FROM {table} WHERE {column} -> {} IS NOT NULL LIMIT 1",
            steps.join(" -> ")
        ),
        say!(
            "No row of {table} that you may see has the key {name} in {column}.",
            table,
            name = quote_literal(name),
            column
        ),
    ))
}

/// What keys are taken of, and the keys, outermost first.
fn inside(expression: &Expr) -> Option<(&Expr, Vec<&str>)> {
    let Expr::BinaryOp {
        left,
        op: BinaryOperator::Arrow | BinaryOperator::LongArrow,
        right,
    } = without_parentheses(expression)
    else {
        return None;
    };
    let name = constant_text(right)?;
    let (base, mut path) = inside(left).unwrap_or((left, Vec::new()));
    path.push(name);
    Some((base, path))
}

/// `'element' = ANY (tags)`.
fn element(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<Finding> {
    let Expr::AnyOp {
        left,
        compare_op: BinaryOperator::Eq,
        right,
        ..
    } = expression
    else {
        return None;
    };
    if !is_constant(left) {
        return None;
    }
    let (table, column) = stored(tree, block, without_parentheses(right), TypeCategory::Array)?;
    let (table, column) = (table.sql_name(), quote_identifier(&column.name));
    Some(looked_up(
        format!("SELECT 1 FROM {table} WHERE {left} = ANY ({column}) LIMIT 1"),
        say!(
            "No row of {table} that you may see has {element} in {column}.",
            table,
            element = left,
            column
        ),
    ))
}

fn looked_up(sql: String, evidence: String) -> Finding {
    // Without data nothing is said.
    Finding::new(Check::UnknownValue, Severity::Note, Basis::Possible, "").with_probe(Probe::Rows {
        sql,
        found: Verdict {
            severity: Severity::Note,
            evidence: String::new(),
        },
        none: Some(Verdict {
            severity: Severity::Error,
            evidence,
        }),
    })
}
