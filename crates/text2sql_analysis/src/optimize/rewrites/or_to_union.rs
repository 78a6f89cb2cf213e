//! `a = 1 OR b = 2` as two queries, each of which can use an index. Always valid: the second
//! excludes the rows of the first.

use sqlparser::ast::{BinaryOperator, Expr};

use super::Rewrite;
use super::top_select::{TopSelect, all_of, expression, is_own};
use text2sql_sql::tree::Reference;
use text2sql_sql::tree::syntax::{flatten, without_parentheses};

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    let query = top.query;
    let is_simple = top.is_plain()
        && top.block.select.distinct.is_none()
        && query.order_by.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && query.with.is_none()
        && !has_window(top);
    if !is_simple {
        return;
    }
    for (number, filter) in top.block.filters().into_iter().enumerate() {
        let members = flatten(without_parentheses(filter), &BinaryOperator::Or);
        let [first, second] = members.as_slice() else {
            continue;
        };
        let columns =
            |member: &Expr| -> Vec<Reference> { top.tree.columns_in(top.position, member) };
        let (one, other) = (columns(first), columns(second));
        // A single index already supports both sides of `a = 1 OR a = 2`.
        let is_split = !one.is_empty() && !other.is_empty() && one != other;
        let is_closed =
            is_own(top.tree, top.position, first) && is_own(top.tree, top.position, second);
        if !is_split || !is_closed {
            continue;
        }
        let branch = |text: &str| -> Option<String> {
            let mut members: Vec<Expr> = top.block.filters().into_iter().cloned().collect();
            *members.get_mut(number)? = expression(text)?;
            top.changed(|select| select.selection = all_of(members))
        };
        let (Some(left), Some(right)) = (
            branch(&first.to_string()),
            branch(&format!("({second} AND ({first}) IS NOT TRUE)")),
        ) else {
            continue;
        };
        found.push(Rewrite {
            rule: "or_to_union",
            what: format!(
                "`{filter}` is written as two queries, each of which an index can serve."
            ),
            because: "the second leaves out exactly the rows that the first gives".to_owned(),
            sql: format!("{left} UNION ALL {right}"),
            caveat: Some("The rows may come in another order.".to_owned()),
            proviso: None,
            is_simpler: false,
        });
    }
}

fn has_window(top: &TopSelect<'_, '_>) -> bool {
    let mut has_window = false;
    for item in &top.block.select.projection {
        if let Some(output) = text2sql_sql::tree::walk::output_of(item) {
            text2sql_sql::tree::walk(output, &mut |part| {
                has_window |= matches!(part, Expr::Function(function) if function.over.is_some());
            });
        }
    }
    has_window
}
