//! A condition of HAVING on what is grouped by, as one of WHERE: the rows are dropped before they are grouped, and HAVING
//! is left to conditions on aggregates. Valid if it names only columns that are grouped by.

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr};

use super::Rewrite;
use super::top_select::{TopSelect, all_of, is_own};
use text2sql_sql::tree::syntax::flatten;
use text2sql_sql::tree::{Reference, aggregate, walk};

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    let select = top.block.select;
    let (Some(having), GroupByExpr::Expressions(groups, modifiers)) =
        (&select.having, &select.group_by)
    else {
        return;
    };
    let grouped: Option<Vec<Reference>> = groups
        .iter()
        .map(|group| top.tree.resolve(top.position, group))
        .collect();
    // Subtotals have groups without a value of the column, which WHERE does not see.
    let Some(grouped) = grouped.filter(|grouped| !grouped.is_empty() && modifiers.is_empty())
    else {
        return;
    };
    let is_movable = |condition: &Expr| {
        let columns = top.tree.columns_in(top.position, condition);
        !columns.is_empty()
            && columns.iter().all(|column| grouped.contains(column))
            && is_own(top.tree, top.position, condition)
            && !has_aggregate(condition)
    };
    let (moved, kept): (Vec<&Expr>, Vec<&Expr>) = flatten(having, &BinaryOperator::And)
        .into_iter()
        .partition(|condition| is_movable(condition));
    if moved.is_empty() {
        return;
    }
    let shown = moved
        .iter()
        .map(|condition| format!("`{condition}`"))
        .collect::<Vec<_>>()
        .join(" and ");
    let filters = top
        .block
        .filters()
        .into_iter()
        .chain(moved)
        .cloned()
        .collect();
    let kept = all_of(kept.into_iter().cloned().collect());
    let sql = top.changed(|select| {
        select.selection = all_of(filters);
        select.having = kept;
    });
    found.extend(
        sql.map(|sql| Rewrite {
            rule: "having_to_where",
            what: format!(
                "{shown} is written in WHERE instead of HAVING, so that fewer rows are grouped."
            ),
            because: "it tests only what is grouped by, which is the same in every row of a group"
                .to_owned(),
            sql,
            caveat: None,
            proviso: None,
            is_simpler: true,
        }),
    );
}

fn has_aggregate(condition: &Expr) -> bool {
    let mut has_aggregate = false;
    walk(condition, &mut |part| {
        has_aggregate |= aggregate(part).is_some()
            || matches!(part, Expr::Function(call) if call.over.is_some());
    });
    has_aggregate
}
