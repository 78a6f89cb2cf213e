//! What a SELECT may leave out in SQLite: a join's condition, a subquery's name, columns of GROUP BY, the place of NULL.

use sqlparser::ast::{
    Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, OrderByKind, OrderByOptions,
    OrderBySort, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor, Visitor,
};
use std::ops::ControlFlow;
use text2sql_domain::words;

use super::writing::Writing;
use crate::visit;

/// `a JOIN b` without a condition is every pair.
pub(super) fn cross_joins(select: &mut Select) {
    for join in select.from.iter_mut().flat_map(|from| &mut from.joins) {
        if matches!(
            join.join_operator,
            JoinOperator::Join(JoinConstraint::None) | JoinOperator::Inner(JoinConstraint::None)
        ) {
            join.join_operator = JoinOperator::CrossJoin(JoinConstraint::None);
        }
    }
}

/// PostgreSQL before version 16 needs a name for each subquery in FROM.
pub(super) fn name_derived(factor: &mut TableFactor, derived: &mut usize) {
    if let TableFactor::Derived {
        alias: alias @ None,
        ..
    } = factor
    {
        *derived += 1;
        *alias = Some(TableAlias {
            explicit: true,
            name: Ident::new(format!("part_{derived}")),
            columns: Vec::new(),
            at: None,
        });
    }
}

/// Groups by every shown column that is not computed over the group.
pub(super) fn group_by_all_shown(select: &mut Select) {
    let shown: Vec<Expr> = select
        .projection
        .iter()
        .filter_map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => {
                Some(expr.clone())
            }
            _ => None,
        })
        .collect();
    add_to_groups(select, shown);
}

fn add_to_groups(select: &mut Select, shown: Vec<Expr>) {
    let GroupByExpr::Expressions(groups, _) = &mut select.group_by else {
        return;
    };
    if groups.is_empty() {
        return;
    }
    for expr in shown {
        let is_constant = matches!(expr, Expr::Value(_));
        if !is_constant && !has_aggregate(&expr) && !groups.contains(&expr) {
            groups.push(expr);
        }
    }
}

impl Writing<'_> {
    pub(super) fn order(&self, query: &mut Query) {
        let Some(order) = &mut query.order_by else {
            return;
        };
        let OrderByKind::Expressions(keys) = &mut order.kind else {
            return;
        };
        if self.leniency.null_order {
            for key in keys.iter_mut() {
                nulls_first(&mut key.options);
            }
        }
        if self.leniency.grouping
            && let SetExpr::Select(select) = query.body.as_mut()
        {
            let columns = keys
                .iter()
                .filter(|key| {
                    matches!(key.expr, Expr::CompoundIdentifier(_))
                        || matches!(&key.expr, Expr::Identifier(name)
                            if self.scopes.kind(self.columns, None, &name.value).is_some())
                })
                .map(|key| key.expr.clone())
                .collect();
            add_to_groups(select, columns);
        }
    }
}

/// NULL is less than any value in SQLite.
fn nulls_first(options: &mut OrderByOptions) {
    if options.nulls_first.is_none() {
        options.nulls_first = Some(!matches!(options.sort, Some(OrderBySort::Desc)));
    }
}

fn has_aggregate(expr: &Expr) -> bool {
    struct Aggregates;
    impl Visitor for Aggregates {
        type Break = ();
        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            match expr {
                Expr::Function(function)
                    if words!("count, sum, avg, min, max, total, group_concat")
                        .contains(&function.name.to_string().to_lowercase().as_str()) =>
                {
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    visit::expression(expr, &mut Aggregates).is_break()
}
