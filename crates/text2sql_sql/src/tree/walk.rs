//! Traversal of expressions, not descending into sub-queries.

use sqlparser::ast::{
    AccessExpr, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr,
    JoinConstraint, JoinOperator, LimitClause, OrderByKind, Query, Select, SelectItem, Subscript,
    WindowType,
};
use text2sql_domain::words;

use crate::tree::syntax::{is_aggregate_name, read_call};

/// A call of an aggregate function.
pub struct Aggregate<'e> {
    /// Its name.
    pub name: String,
    /// Its first argument; `None` for `count(*)`.
    pub argument: Option<&'e Expr>,
    /// Whether it has DISTINCT.
    pub is_distinct: bool,
    /// The call.
    pub call: &'e Function,
}

impl Aggregate<'_> {
    /// Whether counting the same row twice changes the result.
    pub fn counts_duplicates(&self) -> bool {
        !self.is_distinct
            && !words!("min, max, bool_and, bool_or, every, any_value")
                .contains(&self.name.as_str())
    }
}

/// The expression as an aggregate call; `None` for window functions.
pub fn aggregate(expression: &Expr) -> Option<Aggregate<'_>> {
    let Expr::Function(function) = expression else {
        return None;
    };
    if function.over.is_some() {
        return None;
    }
    let call = read_call(function);
    is_aggregate_name(&call.name).then(|| Aggregate {
        argument: call.arguments.first().copied(),
        is_distinct: call.is_distinct,
        name: call.name,
        call: function,
    })
}

/// All aggregates of the block's outputs, HAVING and ORDER BY.
pub fn aggregates<'q>(select: &'q Select, query: Option<&'q Query>) -> Vec<Aggregate<'q>> {
    let mut found = Vec::new();
    for expression in grouped_expressions(select, query) {
        walk(expression, &mut |part| found.extend(aggregate(part)));
    }
    found
}

/// The expressions that are evaluated after grouping.
pub fn grouped_expressions<'q>(select: &'q Select, query: Option<&'q Query>) -> Vec<&'q Expr> {
    let mut all: Vec<&Expr> = select.projection.iter().filter_map(output_of).collect();
    all.extend(&select.having);
    if let Some(order) = query.and_then(|query| query.order_by.as_ref())
        && let OrderByKind::Expressions(items) = &order.kind
    {
        all.extend(items.iter().map(|item| &item.expr));
    }
    all
}

/// The expression of an output.
pub fn output_of(item: &SelectItem) -> Option<&Expr> {
    match item {
        SelectItem::UnnamedExpr(expression)
        | SelectItem::ExprWithAlias {
            expr: expression, ..
        } => Some(expression),
        _ => None,
    }
}

/// All expressions directly in a block, including FROM.
pub fn expressions<'q>(select: &'q Select, query: Option<&'q Query>) -> Vec<&'q Expr> {
    let mut all = grouped_expressions(select, query);
    all.extend(&select.selection);
    if let GroupByExpr::Expressions(groups, _) = &select.group_by {
        all.extend(groups);
    }
    for item in &select.from {
        for join in &item.joins {
            if let Some(JoinConstraint::On(condition)) = constraint(&join.join_operator) {
                all.push(condition);
            }
        }
    }
    if let Some(LimitClause::LimitOffset { limit, offset, .. }) =
        query.and_then(|query| query.limit_clause.as_ref())
    {
        all.extend(limit);
        all.extend(offset.as_ref().map(|offset| &offset.value));
    }
    all
}

/// The join condition.
pub fn constraint(operator: &JoinOperator) -> Option<&JoinConstraint> {
    match operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint) => Some(constraint),
        _ => None,
    }
}

/// Visits an expression and its parts, outermost first. Iterative, because chains can be long.
pub fn walk<'e>(expression: &'e Expr, visit: &mut impl FnMut(&'e Expr)) {
    let mut waiting = vec![expression];
    while let Some(next) = waiting.pop() {
        visit(next);
        let mut parts = children(next);
        parts.reverse();
        waiting.extend(parts);
    }
}

/// The sub-queries of an expression, without nested ones.
pub fn subqueries(expression: &Expr) -> Vec<&Query> {
    let mut found = Vec::new();
    walk(expression, &mut |part| match part {
        Expr::InSubquery { subquery, .. }
        | Expr::Exists { subquery, .. }
        | Expr::Subquery(subquery) => found.push(&**subquery),
        Expr::Function(function) => {
            if let FunctionArguments::Subquery(query) = &function.args {
                found.push(query);
            }
        }
        _ => {}
    });
    found
}

/// The direct parts of an expression, without the contents of sub-queries.
pub fn children(expression: &Expr) -> Vec<&Expr> {
    match expression {
        Expr::Nested(inner)
        | Expr::IsFalse(inner)
        | Expr::IsNotFalse(inner)
        | Expr::IsTrue(inner)
        | Expr::IsNotTrue(inner)
        | Expr::IsNull(inner)
        | Expr::IsNotNull(inner)
        | Expr::IsUnknown(inner)
        | Expr::IsNotUnknown(inner)
        | Expr::UnaryOp { expr: inner, .. }
        | Expr::Cast { expr: inner, .. }
        | Expr::Extract { expr: inner, .. }
        | Expr::Ceil { expr: inner, .. }
        | Expr::Floor { expr: inner, .. }
        | Expr::Collate { expr: inner, .. }
        | Expr::Named { expr: inner, .. }
        | Expr::InSubquery { expr: inner, .. } => vec![inner],
        Expr::IsDistinctFrom(left, right)
        | Expr::IsNotDistinctFrom(left, right)
        | Expr::BinaryOp { left, right, .. }
        | Expr::AnyOp { left, right, .. }
        | Expr::AllOp { left, right, .. }
        | Expr::AtTimeZone {
            timestamp: left,
            time_zone: right,
        }
        | Expr::Position {
            expr: left,
            r#in: right,
        }
        | Expr::InUnnest {
            expr: left,
            array_expr: right,
            ..
        }
        | Expr::Like {
            expr: left,
            pattern: right,
            ..
        }
        | Expr::ILike {
            expr: left,
            pattern: right,
            ..
        }
        | Expr::SimilarTo {
            expr: left,
            pattern: right,
            ..
        }
        | Expr::RLike {
            expr: left,
            pattern: right,
            ..
        } => vec![left, right],
        Expr::InList { expr, list, .. } => std::iter::once(&**expr).chain(list).collect(),
        Expr::Between {
            expr, low, high, ..
        } => vec![expr, low, high],
        Expr::Substring {
            expr,
            substring_from,
            substring_for,
            ..
        } => std::iter::once(&**expr)
            .chain(substring_from.as_deref())
            .chain(substring_for.as_deref())
            .collect(),
        Expr::Trim {
            expr, trim_what, ..
        } => std::iter::once(&**expr)
            .chain(trim_what.as_deref())
            .collect(),
        Expr::Overlay {
            expr,
            overlay_what,
            overlay_from,
            ..
        } => vec![expr, overlay_what, overlay_from],
        Expr::Function(function) => arguments(function),
        Expr::Case {
            operand,
            conditions,
            else_result,
            ..
        } => operand
            .as_deref()
            .into_iter()
            .chain(
                conditions
                    .iter()
                    .flat_map(|when| [&when.condition, &when.result]),
            )
            .chain(else_result.as_deref())
            .collect(),
        Expr::Tuple(parts) => parts.iter().collect(),
        Expr::Array(array) => array.elem.iter().collect(),
        Expr::GroupingSets(sets) | Expr::Cube(sets) | Expr::Rollup(sets) => {
            sets.iter().flatten().collect()
        }
        Expr::CompoundFieldAccess { root, access_chain } => std::iter::once(&**root)
            .chain(access_chain.iter().filter_map(|access| match access {
                AccessExpr::Dot(part) | AccessExpr::Subscript(Subscript::Index { index: part }) => {
                    Some(part)
                }
                AccessExpr::Subscript(Subscript::Slice { .. }) => None,
            }))
            .collect(),
        _ => Vec::new(),
    }
}

/// The inputs of a call: arguments, FILTER, ORDER BY and window.
fn arguments(function: &Function) -> Vec<&Expr> {
    let mut parts = Vec::new();
    if let FunctionArguments::List(list) = &function.args {
        for argument in &list.args {
            match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(part))
                | FunctionArg::Named {
                    arg: FunctionArgExpr::Expr(part),
                    ..
                }
                | FunctionArg::ExprNamed {
                    arg: FunctionArgExpr::Expr(part),
                    ..
                } => parts.push(part),
                _ => {}
            }
        }
    }
    parts.extend(function.filter.as_deref());
    parts.extend(function.within_group.iter().map(|item| &item.expr));
    if let Some(WindowType::WindowSpec(window)) = &function.over {
        parts.extend(&window.partition_by);
        parts.extend(window.order_by.iter().map(|item| &item.expr));
    }
    parts
}
