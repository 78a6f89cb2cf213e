//! `count(DISTINCT key)` as `count(key)`. Valid if no join repeats the rows of the key.

use sqlparser::ast::{Expr, Function, FunctionArguments, SelectItem};

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_sql::tree::{Reference, aggregate};

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    for (number, item) in top.block.select.projection.iter().enumerate() {
        let (SelectItem::UnnamedExpr(expression)
        | SelectItem::ExprWithAlias {
            expr: expression, ..
        }) = item
        else {
            continue;
        };
        let Some(counted) = aggregate(expression) else {
            continue;
        };
        let Some(reference) = counted
            .argument
            .and_then(|argument| top.tree.resolve(top.position, argument))
        else {
            continue;
        };
        if counted.name != "count" || !counted.is_distinct || !is_single(counted.call) {
            continue;
        }
        if !is_row_key(top, &reference) {
            continue;
        }
        let name = top.tree.sql(&reference);
        let sql = top.changed(|select| {
            if let Some(
                SelectItem::UnnamedExpr(expression)
                | SelectItem::ExprWithAlias {
                    expr: expression, ..
                },
            ) = select.projection.get_mut(number)
                && let Expr::Function(function) = expression
                && let FunctionArguments::List(list) = &mut function.args
            {
                list.duplicate_treatment = None;
            }
        });
        found.extend(sql.map(|sql| {
            Rewrite {
                rule: "count_distinct_key",
                what: format!(
                    "count(DISTINCT {name}) is written as count({name}), without a sort."
                ),
                because: format!("{name} is a key, and no join repeats its rows"),
                sql,
                caveat: Some("An output without an alias keeps its name.".to_owned())
                    .filter(|_| matches!(item, SelectItem::UnnamedExpr(_))),
                proviso: None,
                is_simpler: false,
            }
        }));
    }
}

fn is_single(call: &Function) -> bool {
    matches!(&call.args, FunctionArguments::List(list) if list.args.len() == 1)
}

/// Whether each value of the column occurs in at most one joined row, ignoring NULLs.
fn is_row_key(top: &TopSelect<'_, '_>, reference: &Reference) -> bool {
    let Some(source) = top.tree.source(reference) else {
        return false;
    };
    let is_key = source
        .keys()
        .iter()
        .any(|key| key.as_slice() == std::slice::from_ref(&reference.column));
    let is_alone = top
        .tree
        .fixing(top.position)
        .determined(&[reference.source])
        .iter()
        .all(|is_fixed| *is_fixed);
    is_key && is_alone && reference.block == top.position
}
