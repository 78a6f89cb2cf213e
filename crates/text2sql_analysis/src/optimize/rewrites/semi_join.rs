//! `x IN (SELECT y …)` as EXISTS. Valid as a conjunct of WHERE, where NULL and false both drop a row.

use sqlparser::ast::Expr;

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_sql::tree::syntax::without_parentheses;

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    for (number, filter) in top.block.filters().into_iter().enumerate() {
        let Expr::InSubquery {
            expr,
            subquery,
            negated: false,
        } = without_parentheses(filter)
        else {
            continue;
        };
        let Some(outside) = top.seen_from_inside(expr) else {
            continue;
        };
        let given = top.free_name("given");
        let text = format!(
            "EXISTS (SELECT 1 FROM ({subquery}) AS {given}(value) WHERE {given}.value = {outside})"
        );
        found.extend(top.with_filter(number, &text).map(|sql| Rewrite {
            rule: "in_to_exists",
            what: "IN is written as EXISTS, which can stop at the first match.".to_owned(),
            because: "in WHERE, a comparison with NULL drops a row just as false does".to_owned(),
            sql,
            caveat: None,
            proviso: None,
            is_simpler: false,
        }));
    }
}
