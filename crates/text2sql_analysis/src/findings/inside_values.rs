//! Keys of JSON and elements of arrays that no row has.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::say;

use super::{Basis, Check, Finding, Probe, Severity, ValueProbe, Verdict};
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
                    found.extend(value_of_key(tree, position, part));
                    found.extend(contained(tree, position, part));
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
    Some(missing_element(table, column, &left.to_string()))
}

fn missing_element(table: &Table, column: &Column, element: &str) -> Finding {
    let (table, column) = (table.sql_name(), quote_identifier(&column.name));
    looked_up(
        format!("SELECT 1 FROM {table} WHERE {element} = ANY ({column}) LIMIT 1"),
        say!(
            "No row of {table} that you may see has {element} in {column}.",
            table,
            element,
            column
        ),
    )
}

/// `payload -> 'item' ->> 'key' = 'value'`.
fn value_of_key(tree: &Tree<'_>, block: usize, expression: &Expr) -> Option<Finding> {
    let Expr::BinaryOp { left, op, right } = expression else {
        return None;
    };
    let is_negated = match op {
        BinaryOperator::Eq => false,
        BinaryOperator::NotEq => true,
        _ => return None,
    };
    let (side, text) = match (constant_text(left), constant_text(right)) {
        (None, Some(text)) => (left, text),
        (Some(text), None) => (right, text),
        _ => return None,
    };
    let is_text = matches!(
        without_parentheses(side),
        Expr::BinaryOp {
            op: BinaryOperator::LongArrow,
            ..
        }
    );
    let (base, path) = inside(side).filter(|_| is_text)?;
    let (table, column) = stored(tree, block, base, TypeCategory::Json)?;
    Some(value_at(table, column, &path, text, is_negated))
}

fn value_at(
    table: &Table,
    column: &Column,
    path: &[&str],
    text: &str,
    is_negated: bool,
) -> Finding {
    let mut place = quote_identifier(&column.name);
    for (at, key) in path.iter().enumerate() {
        let arrow = if at + 1 == path.len() { "->>" } else { "->" };
        place.push_str(&format!(" {arrow} {}", quote_literal(key)));
    }
    // Nothing is said unless the data were asked.
    Finding::new(Check::UnknownValue, Severity::Note, Basis::Possible, "").with_probe(Probe::Value(
        ValueProbe {
            table: table.sql_name(),
            column: place,
            literal: quote_literal(text),
            text: text.to_owned(),
            pattern: None,
            is_negated,
            is_text: true,
        },
    ))
}

/// `tags @> ARRAY['element']`, `tags && ARRAY['element']` and `payload @> '{"key": "value"}'`.
fn contained(tree: &Tree<'_>, block: usize, expression: &Expr) -> Vec<Finding> {
    let Expr::BinaryOp { left, op, right } = expression else {
        return Vec::new();
    };
    let right = match without_parentheses(right) {
        Expr::Cast { expr, .. } => without_parentheses(expr),
        other => other,
    };
    match (op, right) {
        (BinaryOperator::AtArrow | BinaryOperator::PGOverlap, Expr::Array(array)) => {
            let Some((table, column)) = stored(tree, block, left, TypeCategory::Array) else {
                return Vec::new();
            };
            // `&&` needs one of several elements only.
            let is_any = *op == BinaryOperator::PGOverlap && array.elem.len() > 1;
            let elements = array.elem.iter().filter(|one| is_constant(one) && !is_any);
            elements
                .map(|one| missing_element(table, column, &one.to_string()))
                .collect()
        }
        (BinaryOperator::AtArrow, constant) => {
            let json = constant_text(constant).and_then(|text| serde_json::from_str(text).ok());
            let (Some(json), Some((table, column))) =
                (json, stored(tree, block, left, TypeCategory::Json))
            else {
                return Vec::new();
            };
            let mut found = Vec::new();
            texts_in(&json, &mut Vec::new(), &mut |path, text| {
                found.push(value_at(table, column, path, text, false));
            });
            found
        }
        _ => Vec::new(),
    }
}

/// Visits the texts of an object, with the keys that lead to them.
fn texts_in<'j>(
    json: &'j serde_json::Value,
    path: &mut Vec<&'j str>,
    visit: &mut impl FnMut(&[&str], &str),
) {
    match json {
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                path.push(key);
                texts_in(value, path, visit);
                path.pop();
            }
        }
        serde_json::Value::String(text) if !path.is_empty() => visit(path, text),
        _ => {}
    }
}

fn looked_up(sql: String, evidence: String) -> Finding {
    // Nothing is said unless the data were asked.
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
