//! The nearest existing values for a comparison with a number or date that no row satisfies.

use sqlparser::ast::{BinaryOperator, Expr};
use text2sql_phrases::{say, template};

use super::prober::Prober;
use text2sql_domain::error::Error;
use text2sql_domain::schema::{TypeCategory, quote_identifier};
use text2sql_sql::tree::syntax::{is_constant, without_parentheses};
use text2sql_sql::tree::{Rows, Tree};

/// For a comparison of a number or date with a constant: the nearest values in the table,
/// as a sentence.
pub(super) fn beside(
    tree: &Tree<'_>,
    block: usize,
    filter: &Expr,
    prober: &mut Prober<'_>,
) -> Result<Option<(Vec<String>, String)>, Error> {
    let (column, ends): (&Expr, Vec<(&str, &Expr)>) = match without_parentheses(filter) {
        Expr::BinaryOp { left, op, right } if is_constant(right) => match op {
            BinaryOperator::Gt | BinaryOperator::GtEq => (left, vec![("max", right)]),
            BinaryOperator::Lt | BinaryOperator::LtEq => (left, vec![("min", right)]),
            BinaryOperator::Eq => (left, vec![("below", right), ("above", right)]),
            _ => return Ok(None),
        },
        Expr::Between {
            expr,
            negated: false,
            low,
            high,
        } if is_constant(low) && is_constant(high) => (expr, vec![("below", low), ("above", high)]),
        _ => return Ok(None),
    };
    let Some(reference) = tree.resolve(block, column) else {
        return Ok(None);
    };
    let Some(Rows::Table(table)) = tree.source(&reference).map(|source| &source.rows) else {
        return Ok(None);
    };
    let is_ordered = table.column(&reference.column).is_some_and(|column| {
        matches!(
            column.category,
            TypeCategory::Integer
                | TypeCategory::Number
                | TypeCategory::Date
                | TypeCategory::Timestamp
        )
    });
    if !is_ordered {
        return Ok(None);
    }
    let (name, column) = (table.sql_name(), quote_identifier(&reference.column));
    // Other conditions are ignored, so that only this one is examined.
    let bare = match without_parentheses(filter) {
        Expr::BinaryOp { op, right, .. } => format!("{column} {op} {right}"),
        Expr::Between { low, high, .. } => format!("{column} BETWEEN {low} AND {high}"),
        _ => return Ok(None),
    };
    if prober.has_rows(&format!("SELECT 1 FROM {name} WHERE {bare}"))? != Some(false) {
        return Ok(None);
    }
    let mut values = Vec::new();
    let mut words = Vec::new();
    for (end, constant) in ends {
        let (sql, word) = match end {
            "max" => (
                format!("SELECT max({column})::text FROM {name}"),
                template!("the largest"),
            ),
            "min" => (
                format!("SELECT min({column})::text FROM {name}"),
                template!("the smallest"),
            ),
            "below" => (
                format!("SELECT max({column})::text FROM {name} WHERE {column} < {constant}"),
                template!("the nearest below"),
            ),
            _ => (
                format!("SELECT min({column})::text FROM {name} WHERE {column} > {constant}"),
                template!("the nearest above"),
            ),
        };
        if let Some(value) = prober.value(&sql)? {
            words.push(say!("{word} is {value}", word = say(word, &[])));
            values.push(value);
        }
    }
    if values.is_empty() {
        return Ok(None);
    }
    let sentence = say!(
        " Of all values of {name}.{column}, {words}.",
        words = words.join(&format!(" {} ", say!("and")))
    );
    Ok(Some((values, sentence)))
}
