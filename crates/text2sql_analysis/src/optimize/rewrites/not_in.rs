//! `x NOT IN (SELECT y …)` as NOT EXISTS, which the planner can turn into an anti-join. Valid if
//! neither x nor y is ever NULL.

use sqlparser::ast::{Expr, UnaryOperator};

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_sql::tree::syntax::without_parentheses;

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    for (number, filter) in top.block.filters().into_iter().enumerate() {
        let (value, subquery) = match without_parentheses(filter) {
            Expr::InSubquery {
                expr,
                subquery,
                negated: true,
            } => (expr, subquery),
            Expr::UnaryOp {
                op: UnaryOperator::Not,
                expr,
            } => match without_parentheses(expr) {
                Expr::InSubquery {
                    expr,
                    subquery,
                    negated: false,
                } => (expr, subquery),
                _ => continue,
            },
            _ => continue,
        };
        let gives_null = top
            .tree
            .result_of(subquery)
            .and_then(|result| result.columns.first())
            .is_none_or(|output| !output.is_never_null);
        if gives_null || !top.is_never_null(value) {
            continue;
        }
        let Some(outside) = top.seen_from_inside(value) else {
            continue;
        };
        let given = top.free_name("given");
        let text = format!(
            "NOT EXISTS (SELECT 1 FROM ({subquery}) AS {given}(value) WHERE {given}.value = {outside})"
        );
        found.extend(top.with_filter(number, &text).map(|sql| {
            Rewrite {
                rule: "not_in_to_not_exists",
                what:
                    "NOT IN is written as NOT EXISTS, which the planner can run as one anti-join."
                        .to_owned(),
                because: format!("neither {outside} nor the sub-query's value can be NULL"),
                sql,
                caveat: None,
            }
        }));
    }
}
