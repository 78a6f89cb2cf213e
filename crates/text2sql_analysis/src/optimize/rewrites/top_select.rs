//! The outermost SELECT, with the helpers that the rules use to inspect and change it.

use sqlparser::ast::{Expr, GroupByExpr, Query, Select, SetExpr};
use text2sql_domain::words;

use crate::optimize::planner::Storage;
use text2sql_sql::reader as sql_reader;
use text2sql_sql::tree::{Block, Place, Tree, aggregates, walk};

/// Whether the query calls a volatile function: its result changes from call to call, so
/// no rewrite is equivalent.
pub fn is_volatile(query: &Query) -> bool {
    let text = query.to_string().to_lowercase();
    words!(
        "random(, random_normal(, array_sample(, array_shuffle(, nextval(, \
         clock_timestamp(, timeofday(, gen_random_uuid(, uuidv4(, uuidv7(, setseed("
    )
    .iter()
    .any(|call| text.contains(call))
}

/// The outermost SELECT, which the rules rewrite.
pub(super) struct TopSelect<'t, 'q> {
    pub(super) query: &'t Query,
    pub(super) tree: &'t Tree<'q>,
    pub(super) storage: &'t [Storage],
    pub(super) position: usize,
    pub(super) block: &'t Block<'q>,
}

impl<'t, 'q> TopSelect<'t, 'q> {
    pub(super) fn of(query: &'t Query, tree: &'t Tree<'q>, storage: &'t [Storage]) -> Option<Self> {
        let (position, block) = tree
            .blocks
            .iter()
            .enumerate()
            .find(|(_, block)| block.place == Place::Top)?;
        (!is_volatile(query) && query.locks.is_empty()).then_some(Self {
            query,
            tree,
            storage,
            position,
            block,
        })
    }

    /// The query with its SELECT changed.
    pub(super) fn changed(&self, change: impl FnOnce(&mut Select)) -> Option<String> {
        let mut query = self.query.clone();
        let SetExpr::Select(select) = &mut *query.body else {
            return None;
        };
        change(select);
        Some(query.to_string())
    }

    /// The query with one conjunct of WHERE replaced; an empty text removes it.
    pub(super) fn with_filter(&self, number: usize, text: &str) -> Option<String> {
        let mut members: Vec<Expr> = self.block.filters().into_iter().cloned().collect();
        if text.is_empty() {
            members.remove(number);
        } else {
            *members.get_mut(number)? = expression(text)?;
        }
        self.changed(|select| select.selection = all_of(members))
    }

    /// Whether rows are neither grouped nor merged.
    pub(super) fn is_plain(&self) -> bool {
        self.is_ungrouped() && aggregates(self.block.select, self.block.query).is_empty()
    }

    /// Whether there is no GROUP BY and no HAVING.
    pub(super) fn is_ungrouped(&self) -> bool {
        let select = self.block.select;
        select.having.is_none()
            && matches!(&select.group_by, GroupByExpr::Expressions(groups, modifiers)
                if groups.is_empty() && modifiers.is_empty())
    }

    /// Whether the expression is known never to be NULL.
    pub(super) fn is_never_null(&self, expression: &Expr) -> bool {
        self.tree
            .resolve(self.position, expression)
            .is_some_and(|reference| {
                self.tree.can_be_null(&reference) == Some(false)
                    && !self.tree.is_optional(reference.block, reference.source)
            })
    }

    /// The expression inside a sub-query, where unqualified names may have another meaning;
    /// `None` if it is not a single column.
    pub(super) fn seen_from_inside(&self, expression: &Expr) -> Option<String> {
        let reference = self.tree.resolve(self.position, expression)?;
        Some(self.tree.sql(&reference))
    }

    /// A name that does not occur in the query.
    pub(super) fn free_name(&self, wanted: &str) -> String {
        let text = self.query.to_string().to_lowercase();
        let mut name = wanted.to_owned();
        let mut number = 2;
        while text.contains(&name) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        name
    }
}

/// Parses an expression created by a rule.
pub(super) fn expression(text: &str) -> Option<Expr> {
    sql_reader::expression(text).ok().flatten()
}

/// Expressions combined with AND.
pub(super) fn all_of(members: Vec<Expr>) -> Option<Expr> {
    members.into_iter().reduce(|all, next| Expr::BinaryOp {
        left: Box::new(all),
        op: sqlparser::ast::BinaryOperator::And,
        right: Box::new(next),
    })
}

/// Whether an expression uses only the block's own sources.
pub(super) fn is_own(tree: &Tree<'_>, block: usize, expression: &Expr) -> bool {
    let mut is_own = true;
    walk(expression, &mut |part| match part {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
            is_own &= tree
                .resolve(block, part)
                .is_some_and(|reference| reference.block == block);
        }
        Expr::Subquery(_) | Expr::Exists { .. } | Expr::InSubquery { .. } => is_own = false,
        _ => {}
    });
    is_own
}

/// The block of a sub-query that is a single plain SELECT over one table.
pub(super) fn single_table<'t, 'q>(
    tree: &'t Tree<'q>,
    query: &Query,
) -> Option<(usize, &'t Block<'q>)> {
    let SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let is_bare = query.with.is_none()
        && query.limit_clause.is_none()
        && query.fetch.is_none()
        && select.distinct.is_none()
        && select.having.is_none()
        && matches!(&select.group_by, GroupByExpr::Expressions(groups, modifiers)
            if groups.is_empty() && modifiers.is_empty());
    if !is_bare {
        return None;
    }
    tree.blocks
        .iter()
        .enumerate()
        .find(|(_, block)| std::ptr::eq(block.select, &raw const **select))
        .filter(|(_, block)| {
            block.sources.len() == 1 && block.sources.iter().all(|source| source.table().is_some())
        })
}
