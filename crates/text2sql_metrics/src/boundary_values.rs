//! Boundary values of a statement: literals that columns are compared with. Rows with these values and with
//! adjacent ones distinguish `>` from `>=` and one literal from another (following the neighbour queries of
//! Zhong, Yu, Klein 2020).

use std::collections::BTreeSet;

use serde::Serialize;
use sqlparser::ast::{Expr, UnaryOperator, Value};

use super::components::as_date;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::syntax::fold;
use text2sql_sql::visit;

/// A literal that a column is compared with.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Boundary {
    /// The column's unqualified name.
    pub column: String,
    /// `number`, `date` or `text`.
    pub kind: &'static str,
    /// The literal.
    pub value: String,
}

/// The boundary values of a statement; empty if it cannot be parsed.
pub fn boundaries(sql: &str) -> Vec<Boundary> {
    let mut found = BTreeSet::new();
    let Some(query) = sql_tree::read_query(sql) else {
        return Vec::new();
    };
    let mut add = |column: &Expr, literal: &Expr| {
        if let (Some(column), Some((kind, value))) = (column_name(column), literal_of(literal)) {
            found.insert(Boundary {
                column,
                kind,
                value,
            });
        }
    };
    visit::each_expression(&query, &mut |expression| match expression {
        Expr::BinaryOp { left, right, .. } => {
            add(left, right);
            add(right, left);
        }
        Expr::Between {
            expr, low, high, ..
        } => {
            add(expr, low);
            add(expr, high);
        }
        Expr::InList { expr, list, .. } => list.iter().for_each(|value| add(expr, value)),
        _ => {}
    });
    found.into_iter().collect()
}

fn column_name(expression: &Expr) -> Option<String> {
    let name = match expression {
        Expr::Identifier(name) => name,
        Expr::CompoundIdentifier(parts) => parts.last()?,
        Expr::Nested(inner) => return column_name(inner),
        Expr::Cast { expr, .. } => return column_name(expr),
        _ => return None,
    };
    Some(fold(name))
}

fn literal_of(expression: &Expr) -> Option<(&'static str, String)> {
    let value = match expression {
        Expr::Value(value) => &value.value,
        Expr::TypedString(typed) => &typed.value.value,
        Expr::Cast { expr, .. } => return literal_of(expr),
        Expr::UnaryOp {
            op: UnaryOperator::Minus,
            expr,
        } => {
            let (kind, value) = literal_of(expr)?;
            return (kind == "number").then(|| (kind, format!("-{value}")));
        }
        _ => return None,
    };
    match value {
        Value::Number(number, _) => Some(("number", number.clone())),
        Value::SingleQuotedString(text) => Some(match as_date(text) {
            Some(day) => ("date", day),
            None => ("text", text.clone()),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_stand_beside_their_columns() {
        let found = boundaries(
            "SELECT count(*) FROM t WHERE t.\"unitPrice\" > 10 AND 5 <= n AND city IN ('Wien', 'Graz') \
             AND d BETWEEN DATE '2024-01-01' AND '2024-02-01 00:00:00' AND depth = -2 AND lower(x) = 'y' LIMIT 3",
        );
        let found: Vec<String> = found
            .iter()
            .map(|one| format!("{} {} {}", one.column, one.kind, one.value))
            .collect();
        assert_eq!(
            found,
            [
                "city text Graz",
                "city text Wien",
                "d date 2024-01-01",
                "d date 2024-02-01",
                "depth number -2",
                "n number 5",
                "unitPrice number 10",
            ]
        );
        assert!(boundaries("no SQL").is_empty());
    }
}
