//! The same rows, written otherwise: one file for each rule, each with the condition under which
//! it holds. A rule that does not hold gives nothing.

use std::sync::Arc;

use sqlparser::ast::{Expr, GroupByExpr, Query, Select, SetExpr};

use super::Storage;
use text2sql_domain::error::Error;
use text2sql_domain::schema::Table;
use text2sql_sql::tree::{Block, Place, Tree, aggregates, walk};
use text2sql_sql::{reader as sql_reader, tree as sql_tree};

mod count_key;
mod count_to_exists;
mod distinct;
mod foreign_key_join;
mod not_in;
mod or_to_union;
mod range;
mod scalar_subquery;
mod semi_join;

/// A query that gives the same rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewrite {
    /// The rule's name.
    pub rule: &'static str,
    /// What is written otherwise, as a sentence.
    pub what: String,
    /// Why it gives the same rows: follows "because".
    pub because: String,
    /// The whole query.
    pub sql: String,
    /// What to know before using it.
    pub caveat: Option<String>,
}

/// Every rewrite of `sql` whose precondition the tables and their storage prove.
pub fn rewrites(
    sql: &str,
    tables: &[Arc<Table>],
    storage: &[Storage],
) -> Result<Vec<Rewrite>, Error> {
    let Some(query) = sql_tree::parse(sql)? else {
        return Ok(Vec::new());
    };
    let tree = Tree::read(&query, tables);
    Ok(all(&query, &tree, storage))
}

pub(super) fn all(query: &Query, tree: &Tree<'_>, storage: &[Storage]) -> Vec<Rewrite> {
    let Some(top) = Top::of(query, tree, storage) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    not_in::propose(&top, &mut found);
    semi_join::propose(&top, &mut found);
    count_to_exists::propose(&top, &mut found);
    range::propose(&top, &mut found);
    distinct::propose(&top, &mut found);
    count_key::propose(&top, &mut found);
    foreign_key_join::propose(&top, &mut found);
    scalar_subquery::propose(&top, &mut found);
    or_to_union::propose(&top, &mut found);
    found
}

/// Whether the query calls a volatile function: what that gives changes from call to call, so
/// nothing is equal to it.
pub fn is_volatile(query: &Query) -> bool {
    let text = query.to_string().to_lowercase();
    [
        "random(",
        "nextval(",
        "clock_timestamp(",
        "gen_random_uuid(",
        "setseed(",
    ]
    .iter()
    .any(|call| text.contains(call))
}

/// The statement's own SELECT, which is what the rules rewrite.
pub(super) struct Top<'t, 'q> {
    query: &'t Query,
    tree: &'t Tree<'q>,
    storage: &'t [Storage],
    position: usize,
    block: &'t Block<'q>,
}

impl<'t, 'q> Top<'t, 'q> {
    fn of(query: &'t Query, tree: &'t Tree<'q>, storage: &'t [Storage]) -> Option<Self> {
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
    fn changed(&self, change: impl FnOnce(&mut Select)) -> Option<String> {
        let mut query = self.query.clone();
        let SetExpr::Select(select) = &mut *query.body else {
            return None;
        };
        change(select);
        Some(query.to_string())
    }

    /// The query with one member of WHERE written otherwise; an empty text leaves it out.
    fn with_filter(&self, number: usize, text: &str) -> Option<String> {
        let mut members: Vec<Expr> = self.block.filters().into_iter().cloned().collect();
        if text.is_empty() {
            members.remove(number);
        } else {
            *members.get_mut(number)? = expression(text)?;
        }
        self.changed(|select| select.selection = all_of(members))
    }

    /// Whether rows are neither grouped nor merged.
    fn is_plain(&self) -> bool {
        self.is_ungrouped() && aggregates(self.block.select, self.block.query).is_empty()
    }

    /// Whether there is no GROUP BY and no HAVING.
    fn is_ungrouped(&self) -> bool {
        let select = self.block.select;
        select.having.is_none()
            && matches!(&select.group_by, GroupByExpr::Expressions(groups, modifiers)
                if groups.is_empty() && modifiers.is_empty())
    }

    /// Whether the expression is known never to be NULL.
    fn is_never_null(&self, expression: &Expr) -> bool {
        self.tree
            .resolve(self.position, expression)
            .is_some_and(|reference| {
                self.tree.can_be_null(&reference) == Some(false)
                    && !self.tree.is_optional(reference.block, reference.source)
            })
    }

    /// How the expression reads from inside a sub-query, where bare names may mean something else;
    /// `None` when it is more than one column.
    fn seen_from_inside(&self, expression: &Expr) -> Option<String> {
        let reference = self.tree.resolve(self.position, expression)?;
        Some(self.tree.sql(&reference))
    }

    /// A name that nothing in the query has.
    fn free_name(&self, wanted: &str) -> String {
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

/// Reads an expression of ours.
fn expression(text: &str) -> Option<Expr> {
    sql_reader::expression(text).ok().flatten()
}

/// Members joined by AND.
fn all_of(members: Vec<Expr>) -> Option<Expr> {
    members.into_iter().reduce(|all, next| Expr::BinaryOp {
        left: Box::new(all),
        op: sqlparser::ast::BinaryOperator::And,
        right: Box::new(next),
    })
}

/// Whether an expression names nothing outside of the block's own sources.
fn is_own(tree: &Tree<'_>, block: usize, expression: &Expr) -> bool {
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

/// The block of a sub-query that is one plain SELECT over one table.
fn single_table<'t, 'q>(tree: &'t Tree<'q>, query: &Query) -> Option<(usize, &'t Block<'q>)> {
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
