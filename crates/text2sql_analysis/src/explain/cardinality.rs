//! How many rows of one table match one row of another, derived from keys alone.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::say;

use super::scope::{Relation, Scope};
use text2sql_domain::schema::{ForeignKey, Table};
use text2sql_language::english::{Nouns, article, nouns, rows_of};
use text2sql_sql::tree::syntax::{flatten, fold, without_parentheses};

/// Two columns equated by a join: one of an earlier relation, one of the new one.
pub(super) struct Pair {
    /// Position of the earlier relation.
    left: usize,
    /// Its column.
    left_column: String,
    /// The new relation's column.
    right_column: String,
}

/// The columns equated by an ON condition.
pub(super) fn join_pairs(scope: &Scope<'_>, condition: &Expr, right: usize) -> Vec<Pair> {
    flatten(condition, &BinaryOperator::And)
        .into_iter()
        .filter_map(|part| match without_parentheses(part) {
            Expr::BinaryOp {
                left: one,
                op: BinaryOperator::Eq,
                right: other,
            } => {
                let (one, one_column) = column_of(scope, one)?;
                let (other, other_column) = column_of(scope, other)?;
                if one == right && other < right {
                    Some(Pair {
                        left: other,
                        left_column: other_column,
                        right_column: one_column,
                    })
                } else if other == right && one < right {
                    Some(Pair {
                        left: one,
                        left_column: one_column,
                        right_column: other_column,
                    })
                } else {
                    None
                }
            }
            _ => None,
        })
        .collect()
}

/// The columns equated by USING.
pub(super) fn shared_pairs(scope: &Scope<'_>, columns: &[String], right: usize) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for column in columns {
        let left = scope
            .relations
            .iter()
            .take(right)
            .position(|relation| relation.category(column).is_some());
        if let Some(left) = left {
            pairs.push(Pair {
                left,
                left_column: column.clone(),
                right_column: column.clone(),
            });
        }
    }
    pairs
}

fn column_of(scope: &Scope<'_>, expression: &Expr) -> Option<(usize, String)> {
    let (qualifier, column) = match without_parentheses(expression) {
        Expr::Identifier(name) => (None, fold(name)),
        Expr::CompoundIdentifier(names) => match names.as_slice() {
            [.., qualifier, column] => (Some(fold(qualifier)), fold(column)),
            _ => return None,
        },
        _ => return None,
    };
    let found = scope.find(qualifier.as_deref(), &column)?;
    (found.level == 0).then_some((found.index, column))
}

/// Describes how many rows match: "each order belongs to one customer; a customer can have many orders".
/// `None` if no key determines it.
pub(super) fn cardinality(scope: &Scope<'_>, right: usize, pairs: &[Pair]) -> Option<String> {
    let right_relation = scope.relations.get(right)?;
    let right_table = right_relation.table()?;
    let mut lefts: Vec<usize> = pairs.iter().map(|pair| pair.left).collect();
    lefts.dedup();
    // A foreign key is the most informative; check all earlier tables for one first.
    for &left in &lefts {
        let left_relation = scope.relations.get(left)?;
        let Some(left_table) = left_relation.table() else {
            continue;
        };
        let outward: Vec<(&str, &str)> = pairs
            .iter()
            .filter(|pair| pair.left == left)
            .map(|pair| (pair.right_column.as_str(), pair.left_column.as_str()))
            .collect();
        let inward: Vec<(&str, &str)> = outward.iter().map(|&(a, b)| (b, a)).collect();
        if let Some(key) = foreign_key(right_table, left_table, &outward) {
            return Some(belongs(right_relation, right_table, left_relation, key));
        }
        if let Some(key) = foreign_key(left_table, right_table, &inward) {
            return Some(belongs(left_relation, left_table, right_relation, key));
        }
    }
    let [left] = lefts.as_slice() else {
        return None;
    };
    let left_relation = scope.relations.get(*left)?;
    let left_table = left_relation.table()?;
    if !has_keys(left_table) || !has_keys(right_table) {
        return None;
    }
    let left_columns: Vec<&str> = pairs.iter().map(|pair| pair.left_column.as_str()).collect();
    let right_columns: Vec<&str> = pairs
        .iter()
        .map(|pair| pair.right_column.as_str())
        .collect();
    let (one, other) = (noun(left_relation), noun(right_relation));
    Some(
        match (
            is_unique(left_table, &left_columns),
            is_unique(right_table, &right_columns),
        ) {
            (true, true) => say!(
                "each {one} matches at most one {other}, and the other way round",
                one = one.one,
                other = other.one
            ),
            (true, false) => matches_one(&other, &one),
            (false, true) => matches_one(&one, &other),
            (false, false) => say!(
                "no key limits this: {one} can match several {others}, and {other} several {ones}",
                one = with_article(&one.one),
                others = other.many,
                other = with_article(&other.one),
                ones = one.many
            ),
        },
    )
}

fn matches_one(many: &Nouns, one: &Nouns) -> String {
    say!(
        "each {each} matches at most one {one}; {a_one} can match many {many}",
        each = many.one,
        one = one.one,
        a_one = with_article(&one.one),
        many = many.many
    )
}

fn belongs(child: &Relation, child_table: &Table, parent: &Relation, key: &ForeignKey) -> String {
    let (child, parent) = (noun(child), noun(parent));
    let columns: Vec<&str> = key.columns.iter().map(String::as_str).collect();
    let is_required = columns.iter().all(|name| {
        child_table
            .column(name)
            .is_some_and(|column| column.not_null)
    });
    let belongs = if is_required {
        say!(
            "each {child} belongs to one {parent}",
            child = child.one,
            parent = parent.one
        )
    } else {
        say!(
            "each {child} belongs to at most one {parent}",
            child = child.one,
            parent = parent.one
        )
    };
    let a_parent = with_article(&parent.one);
    let back = if is_unique(child_table, &columns) {
        say!("{a_parent} can have at most one {child}", child = child.one)
    } else {
        say!("{a_parent} can have many {children}", children = child.many)
    };
    format!("{belongs}; {back}")
}

fn with_article(noun: &str) -> String {
    let article = article(noun);
    say!("{article} {noun}")
}

fn noun(relation: &Relation) -> Nouns {
    if relation.label == relation.base_name {
        nouns(&relation.base_name)
    } else {
        rows_of(&relation.label)
    }
}

/// The foreign key from one table to another that is covered by the pairs (its column, the other's).
fn foreign_key<'t>(from: &'t Table, to: &Table, pairs: &[(&str, &str)]) -> Option<&'t ForeignKey> {
    from.foreign_keys.iter().find(|key| {
        key.target == to.oid
            && !key.columns.is_empty()
            && key
                .columns
                .iter()
                .zip(&key.target_columns)
                .all(|(column, target)| pairs.contains(&(column.as_str(), target.as_str())))
    })
}

fn has_keys(table: &Table) -> bool {
    !table.primary_key.is_empty() || !table.unique_keys.is_empty()
}

/// Whether the columns contain a complete key.
fn is_unique(table: &Table, columns: &[&str]) -> bool {
    std::iter::once(&table.primary_key)
        .chain(&table.unique_keys)
        .filter(|key| !key.is_empty())
        .any(|key| key.iter().all(|column| columns.contains(&column.as_str())))
}
