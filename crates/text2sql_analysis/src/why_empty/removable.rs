//! The parts of a query that can make it empty, and the query without some of them.

use sqlparser::ast::{
    BinaryOperator, Expr, JoinConstraint, JoinOperator, LimitClause, Query, Select, SetExpr, Value,
};
use text2sql_phrases::say;

use super::cause::{Cause, CauseKind};
use text2sql_sql::tree::Block;
use text2sql_sql::tree::syntax::flatten;

/// A part that can be removed.
pub(super) enum Removable<'q> {
    /// A conjunct of WHERE, by its position.
    Where(usize, &'q Expr),
    /// A conjunct of HAVING, by its position.
    Having(usize, &'q Expr),
    /// A join that drops rows without a match: item of FROM, join, and the texts of both.
    Join {
        item: usize,
        join: usize,
        text: String,
    },
    /// LIMIT 0 or OFFSET.
    Limit(String),
}

impl<'q> Removable<'q> {
    /// All removable parts of a query, in evaluation order.
    pub(super) fn of(query: &Query, block: &Block<'q>) -> Vec<Self> {
        let mut members = Vec::new();
        for (item, tables) in block.select.from.iter().enumerate() {
            for (join, joined) in tables.joins.iter().enumerate() {
                let drops = matches!(
                    joined.join_operator,
                    JoinOperator::Join(_)
                        | JoinOperator::Inner(_)
                        | JoinOperator::Right(_)
                        | JoinOperator::RightOuter(_)
                );
                if drops {
                    members.push(Self::Join {
                        item,
                        join,
                        text: joined.to_string().trim().to_owned(),
                    });
                }
            }
        }
        for (position, filter) in block.filters().into_iter().enumerate() {
            members.push(Self::Where(position, filter));
        }
        if let Some(having) = &block.select.having {
            for (position, filter) in flatten(having, &BinaryOperator::And)
                .into_iter()
                .enumerate()
            {
                members.push(Self::Having(position, filter));
            }
        }
        if let Some(limit) = &query.limit_clause
            && cuts_all(limit)
        {
            members.push(Self::Limit(limit.to_string().trim().to_owned()));
        }
        members
    }

    /// Its SQL.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Where(_, filter) | Self::Having(_, filter) => filter.to_string(),
            Self::Join { text, .. } | Self::Limit(text) => text.clone(),
        }
    }

    /// The cause to report if removing this part returns rows.
    pub(super) fn cause(&self) -> Cause {
        let text = self.text();
        let (kind, explanation) = match self {
            Self::Where(..) => (
                CauseKind::Filter,
                say!(
                    "`{text}` holds for none of the rows that are left; without it there are rows."
                ),
            ),
            Self::Having(..) => (
                CauseKind::GroupFilter,
                say!("`{text}` holds for no group; without it there are rows."),
            ),
            Self::Join { .. } => (
                CauseKind::Join,
                say!("`{text}` finds no match for any row; as a LEFT JOIN it keeps them."),
            ),
            Self::Limit(_) => (
                CauseKind::Limit,
                say!("`{text}` skips or cuts every row; without it there are rows."),
            ),
        };
        Cause::new(kind, Some(text), explanation)
    }
}

fn cuts_all(limit: &LimitClause) -> bool {
    match limit {
        LimitClause::LimitOffset { limit, offset, .. } => {
            let is_zero = matches!(limit, Some(Expr::Value(value))
                if matches!(&value.value, Value::Number(digits, _) if digits == "0"));
            is_zero || offset.is_some()
        }
        _ => false,
    }
}

/// The query without those parts; `None` if it is not a plain SELECT.
pub(super) fn without(query: &Query, members: &[&Removable<'_>]) -> Option<String> {
    let mut changed = query.clone();
    if members
        .iter()
        .any(|member| matches!(member, Removable::Limit(_)))
    {
        changed.limit_clause = None;
    }
    let SetExpr::Select(select) = &mut *changed.body else {
        return None;
    };
    drop_conditions(select, members);
    for member in members {
        if let Removable::Join { item, join, .. } = member
            && let Some(joined) = select
                .from
                .get_mut(*item)
                .and_then(|tables| tables.joins.get_mut(*join))
        {
            joined.join_operator = outer(&joined.join_operator);
        }
    }
    Some(changed.to_string())
}

fn drop_conditions(select: &mut Select, members: &[&Removable<'_>]) {
    let dropped = |is_having: bool| -> Vec<usize> {
        members
            .iter()
            .filter_map(|member| match member {
                Removable::Where(position, _) if !is_having => Some(*position),
                Removable::Having(position, _) if is_having => Some(*position),
                _ => None,
            })
            .collect()
    };
    select.selection = kept(select.selection.as_ref(), &dropped(false));
    select.having = kept(select.having.as_ref(), &dropped(true));
}

/// A condition without some of its conjuncts.
fn kept(condition: Option<&Expr>, dropped: &[usize]) -> Option<Expr> {
    let members = flatten(condition?, &BinaryOperator::And);
    members
        .into_iter()
        .enumerate()
        .filter(|(position, _)| !dropped.contains(position))
        .map(|(_, member)| member.clone())
        .reduce(|all, next| Expr::BinaryOp {
            left: Box::new(all),
            op: BinaryOperator::And,
            right: Box::new(next),
        })
}

/// The outer join that keeps the rows dropped by this one.
fn outer(operator: &JoinOperator) -> JoinOperator {
    match operator {
        JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
            JoinOperator::Left(constraint.clone())
        }
        JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
            JoinOperator::FullOuter(constraint.clone())
        }
        other => match other {
            JoinOperator::CrossJoin(_) => {
                JoinOperator::Left(JoinConstraint::On(Expr::value(Value::Boolean(true))))
            }
            same => same.clone(),
        },
    }
}
