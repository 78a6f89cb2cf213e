//! `(SELECT count(*) …) > 0` as EXISTS, which stops at the first row. Always valid.

use sqlparser::ast::{BinaryOperator, Expr, Query, SetExpr, Value};

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_sql::tree::aggregate;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::output_of;

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    for (number, filter) in top.block.filters().into_iter().enumerate() {
        let Expr::BinaryOp { left, op, right } = without_parentheses(filter) else {
            continue;
        };
        let (Expr::Subquery(subquery), Some(limit)) = (without_parentheses(left), number_of(right))
        else {
            continue;
        };
        let word = match (op, limit) {
            (BinaryOperator::Gt | BinaryOperator::NotEq, "0") | (BinaryOperator::GtEq, "1") => {
                "EXISTS"
            }
            (BinaryOperator::Eq, "0") | (BinaryOperator::Lt, "1") => "NOT EXISTS",
            _ => continue,
        };
        let Some(rows) = counted_rows(subquery) else {
            continue;
        };
        let text = format!("{word} ({rows})");
        found.extend(top.with_filter(number, &text).map(|sql| Rewrite {
            rule: "count_to_exists",
            what: format!("Counting to compare with {limit} is written as {word}, which stops at the first row."),
            because: "a count is above zero exactly when a row exists".to_owned(),
            sql,
            caveat: None,
            proviso: None,
            is_simpler: false,
        }));
    }
}

fn number_of(expression: &Expr) -> Option<&str> {
    match without_parentheses(expression) {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => Some(digits),
            _ => None,
        },
        _ => None,
    }
}

/// The query whose rows are counted by `SELECT count(*)`.
fn counted_rows(query: &Query) -> Option<Query> {
    let mut rows = query.clone();
    let SetExpr::Select(select) = &mut *rows.body else {
        return None;
    };
    let is_bare = rows.limit_clause.is_none()
        && rows.fetch.is_none()
        && rows.with.is_none()
        && select.having.is_none()
        && select.distinct.is_none()
        && matches!(&select.group_by, sqlparser::ast::GroupByExpr::Expressions(groups, _) if groups.is_empty());
    let [item] = select.projection.as_slice() else {
        return None;
    };
    let counted = aggregate(output_of(item)?)?;
    let counts_rows =
        counted.name == "count" && counted.argument.is_none() && counted.call.filter.is_none();
    if !is_bare || !counts_rows {
        return None;
    }
    select.projection = vec![sqlparser::ast::SelectItem::UnnamedExpr(Expr::value(
        Value::Number("1".to_owned(), false),
    ))];
    Some(rows)
}
