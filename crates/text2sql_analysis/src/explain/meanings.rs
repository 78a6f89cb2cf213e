//! Metadata added by curators about the columns and expressions of a query: the meanings of values, and
//! expressions that are business terms.

use std::collections::BTreeSet;
use std::sync::Arc;
use text2sql_phrases::say;

use sqlparser::ast::{BinaryOperator, Expr};

use super::Step;
use text2sql_domain::schema::{Column, Definition, Table, quote_literal};
use text2sql_language::english::shorten;
use text2sql_sql::tree::syntax::{constant_text, flatten, without_parentheses};
use text2sql_sql::tree::walk::{expressions, walk};
use text2sql_sql::tree::{Reference, Tree};
use text2sql_sql::{reader as sql_reader, tree as sql_tree};

/// Maximum number of values listed for one column.
const MAX_VALUES: usize = 12;

/// Maximum length of a quoted meaning, in characters.
const MEANING_CHARACTERS: usize = 240;

/// Steps for the value meanings and definitions that a query uses; empty if it cannot be parsed.
pub fn meanings(sql: &str, tables: &[Arc<Table>], definitions: &[Definition]) -> Vec<Step> {
    let Ok(Some(query)) = sql_tree::parse(sql) else {
        return Vec::new();
    };
    let tree = Tree::read(&query, tables);
    let mut steps = values(&tree);
    steps.extend(terms(&tree, definitions));
    steps
}

/// The value meanings of each column in the query.
fn values(tree: &Tree<'_>) -> Vec<Step> {
    let mut described: BTreeSet<(u32, i16)> = BTreeSet::new();
    let mut steps = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        for expression in expressions(block.select, block.query) {
            for reference in tree.columns_in(position, expression) {
                let Some((table, column)) = tree.column(&reference) else {
                    continue;
                };
                if column.value_meanings.is_empty() || !described.insert((table.oid, column.number))
                {
                    continue;
                }
                let compared = compared_with(tree, table.oid, column);
                let list: Vec<String> = column
                    .value_meanings
                    .iter()
                    .filter(|(value, _)| compared.is_empty() || compared.contains(value))
                    .take(MAX_VALUES)
                    .map(|(value, meaning)| {
                        let meaning = shorten(meaning, MEANING_CHARACTERS);
                        say!("{value} means {meaning}", value = quote_literal(value))
                    })
                    .collect();
                if !list.is_empty() {
                    steps.push(Step {
                        clause: "MEANING".to_owned(),
                        explanation: say!(
                            "In {column}, {meanings}.",
                            column = tree.label(&reference),
                            meanings = list.join(", ")
                        ),
                    });
                }
            }
        }
    }
    steps
}

/// The constants that the query compares a column with.
fn compared_with(tree: &Tree<'_>, table: u32, column: &Column) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        let is_meant = |part: &Expr| {
            tree.resolve(position, part)
                .and_then(|reference: Reference| {
                    let (own, found) = tree.column(&reference)?;
                    Some(own.oid == table && found.number == column.number)
                })
                .unwrap_or(false)
        };
        for expression in expressions(block.select, block.query) {
            walk(expression, &mut |part| match part {
                Expr::BinaryOp {
                    left,
                    op: BinaryOperator::Eq | BinaryOperator::NotEq,
                    right,
                } => {
                    for (side, literal) in [(left, right), (right, left)] {
                        if is_meant(side) {
                            found.extend(text_of(literal));
                        }
                    }
                }
                Expr::InList { expr, list, .. } if is_meant(expr) => {
                    found.extend(list.iter().filter_map(text_of));
                }
                _ => {}
            });
        }
    }
    found
}

fn text_of(literal: &Expr) -> Option<String> {
    match without_parentheses(literal) {
        Expr::Value(value) => {
            Some(constant_text(literal).map_or_else(|| value.value.to_string(), str::to_owned))
        }
        other => constant_text(other).map(str::to_owned),
    }
}

/// The definitions whose expression occurs in the query.
fn terms(tree: &Tree<'_>, definitions: &[Definition]) -> Vec<Step> {
    let mut steps = Vec::new();
    for definition in definitions {
        let Some(expression) = definition.sql_expression.as_deref().and_then(read) else {
            continue;
        };
        let parts: Vec<String> = flatten(&expression, &BinaryOperator::And)
            .into_iter()
            .map(normal)
            .collect();
        let is_used = tree.blocks.iter().any(|block| {
            let is_there = definition.applies_to.is_none_or(|oid| {
                block
                    .sources
                    .iter()
                    .filter_map(|source| source.table())
                    .any(|table| table.oid == oid)
            });
            if !is_there {
                return false;
            }
            let mut held: BTreeSet<String> = BTreeSet::new();
            for part in expressions(block.select, block.query) {
                walk(part, &mut |part| {
                    held.insert(normal(part));
                });
            }
            parts.iter().all(|part| held.contains(part))
        });
        if is_used {
            steps.push(Step {
                clause: "DEFINITION".to_owned(),
                explanation: say!(
                    "`{expression}` is what {term} means here: {meaning}.",
                    expression = shorten(&expression.to_string(), 160),
                    term = definition.term,
                    meaning =
                        shorten(&definition.meaning, MEANING_CHARACTERS).trim_end_matches('.')
                ),
            });
        }
    }
    steps
}

fn read(text: &str) -> Option<Expr> {
    sql_reader::expression(text).ok().flatten()
}

/// The text of an expression without outer parentheses, qualifiers and case, so that `o.Total`
/// becomes `total`. Quoted text is unchanged.
fn normal(expression: &Expr) -> String {
    let text = without_parentheses(expression).to_string();
    let mut out = String::new();
    let mut word_start = 0;
    let mut is_quoted = false;
    for c in text.chars() {
        if c == '\'' {
            is_quoted = !is_quoted;
        }
        if is_quoted {
            out.push(c);
            word_start = out.len();
            continue;
        }
        match c {
            // A point ends a qualifier, unless it is a decimal point after digits.
            '.' if out.get(word_start..).is_some_and(|word| {
                word.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '"')
            }) =>
            {
                out.truncate(word_start);
            }
            c if c.is_alphanumeric() || c == '_' || c == '"' => out.extend(c.to_lowercase()),
            c => {
                out.push(c);
                word_start = out.len();
            }
        }
    }
    out
}
