//! A join of which nothing is shown or tested. An inner join is left out if a foreign key guarantees one match: the key
//! is validated and not deferrable, its columns are NOT NULL, the joined table has no row-level security. A left join
//! keeps every row anyway, so it is enough that its condition fixes a key of the joined table.

use sqlparser::ast::{BinaryOperator, Expr};

use super::Rewrite;
use super::top_select::TopSelect;
use text2sql_domain::schema::{ForeignKey, Table};
use text2sql_sql::tree::JoinKind;
use text2sql_sql::tree::syntax::without_parentheses;
use text2sql_sql::tree::walk::{expressions, walk};

pub(super) fn propose(top: &TopSelect<'_, '_>, found: &mut Vec<Rewrite>) {
    let [item] = top.block.select.from.as_slice() else {
        return;
    };
    for (number, source) in top.block.sources.iter().enumerate().skip(1) {
        let Some(parent) = source.table() else {
            continue;
        };
        let is_alone = !source.is_nested && item.joins.len() + 1 == top.block.sources.len();
        if !is_alone || is_used(top, number) {
            continue;
        }
        let name = parent.sql_name();
        let because = match source.join {
            JoinKind::Inner if !parent.has_row_security => {
                key_behind(top, number, parent).map(|(child, key)| {
                    format!(
                        "the foreign key {}({}) is NOT NULL, so each row has exactly one match in {name}",
                        child.sql_name(),
                        key.columns.join(", ")
                    )
                })
            }
            JoinKind::Left => fixed_key(top, number).map(|key| {
                format!("a left join keeps every row, and ({key}) is a key of {name}, so that none is repeated")
            }),
            _ => None,
        };
        let Some(because) = because else {
            continue;
        };
        let sql = top.changed(|select| {
            if let Some(item) = select.from.first_mut() {
                item.joins.remove(number - 1);
            }
        });
        found.extend(sql.map(|sql| Rewrite {
            rule: "foreign_key_join",
            what: format!("The join with {name} is left out: nothing of it is shown or tested."),
            because,
            sql,
            caveat: None,
            proviso: None,
            is_simpler: true,
        }));
    }
}

/// Whether the source is used outside its own ON condition.
fn is_used(top: &TopSelect<'_, '_>, number: usize) -> bool {
    let block = top.block;
    let own = block.sources.get(number).map(|source| &source.conditions);
    let has_star = block.select.projection.iter().any(|item| {
        !matches!(
            item,
            sqlparser::ast::SelectItem::UnnamedExpr(_)
                | sqlparser::ast::SelectItem::ExprWithAlias { .. }
        )
    });
    if has_star {
        return true;
    }
    // An ambiguous name may refer to it.
    let mut is_used = false;
    let mut look = |expression: &Expr| {
        walk(expression, &mut |part| match part {
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                is_used |= top
                    .tree
                    .resolve(top.position, part)
                    .is_none_or(|reference| {
                        reference.block == top.position && reference.source == number
                    })
                    && !is_output_name(top, part);
            }
            Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => is_used = true,
            _ => {}
        });
    };
    for expression in expressions(block.select, block.query) {
        let is_own_condition = own.is_some_and(|conditions| {
            let members = text2sql_sql::tree::syntax::flatten(expression, &BinaryOperator::And);
            members.len() == conditions.len()
                && members
                    .iter()
                    .zip(conditions)
                    .all(|(one, other)| std::ptr::eq(*one, *other))
        });
        if !is_own_condition {
            look(expression);
        }
    }
    is_used
        || block
            .sources
            .iter()
            .skip(number + 1)
            .any(|later| later.is_lateral || later.shared.iter().any(|(left, _)| *left == number))
}

/// Whether an unqualified name is that of an output, as in ORDER BY.
fn is_output_name(top: &TopSelect<'_, '_>, part: &Expr) -> bool {
    let Expr::Identifier(name) = part else {
        return false;
    };
    top.block.select.projection.iter().any(|item| {
        matches!(item, sqlparser::ast::SelectItem::ExprWithAlias { alias, .. }
            if text2sql_sql::tree::syntax::fold(alias) == text2sql_sql::tree::syntax::fold(name))
    })
}

/// What a join equates.
struct Equated {
    /// The earlier sources.
    children: Vec<usize>,
    /// Columns of those, with its own.
    pairs: Vec<(String, String)>,
}

/// What the join equates; `None` if it tests anything else.
fn equated(top: &TopSelect<'_, '_>, number: usize) -> Option<Equated> {
    let source = top.block.sources.get(number)?;
    let mut pairs = Vec::new();
    let mut children = Vec::new();
    for condition in &source.conditions {
        let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = without_parentheses(condition)
        else {
            return None;
        };
        let one = top.tree.resolve(top.position, left)?;
        let other = top.tree.resolve(top.position, right)?;
        let (own, child) = if one.source == number {
            (one, other)
        } else {
            (other, one)
        };
        if own.source != number || child.source >= number {
            return None;
        }
        children.push(child.source);
        pairs.push((child.column, own.column));
    }
    for (left, column) in &source.shared {
        children.push(*left);
        pairs.push((column.clone(), column.clone()));
    }
    Some(Equated { children, pairs })
}

/// The key of the joined table that the join fixes.
fn fixed_key(top: &TopSelect<'_, '_>, number: usize) -> Option<String> {
    let Equated { pairs, .. } = equated(top, number)?;
    let source = top.block.sources.get(number)?;
    let keys = source.keys();
    let key = keys.iter().find(|key| {
        !key.is_empty()
            && key
                .iter()
                .all(|column| pairs.iter().any(|(_, own)| own == column))
    })?;
    Some(key.join(", "))
}

/// The foreign key of the ON condition, if it proves a match for every row.
fn key_behind<'t>(
    top: &'t TopSelect<'_, '_>,
    number: usize,
    parent: &Table,
) -> Option<(&'t Table, &'t ForeignKey)> {
    let Equated {
        mut children,
        pairs,
    } = equated(top, number)?;
    children.dedup();
    let [child] = children.as_slice() else {
        return None;
    };
    if top.tree.is_optional(top.position, *child) {
        return None;
    }
    let table = top.block.sources.get(*child)?.table()?;
    let unproven = top
        .storage
        .iter()
        .find(|storage| storage.table == table.oid)
        .map(|storage| &storage.unproven_keys)?;
    let key = table.foreign_keys.iter().find(|key| {
        !key.is_taught
            && key.target == parent.oid
            && key.columns.len() == pairs.len()
            && !unproven.contains(&key.columns)
            && key
                .columns
                .iter()
                .zip(&key.target_columns)
                .all(|(own, target)| {
                    pairs.iter().any(|(a, b)| a == own && b == target)
                        && table.column(own).is_some_and(|column| column.not_null)
                })
    })?;
    Some((table, key))
}
