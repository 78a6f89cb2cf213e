//! The names of columns in a query, with where each stands.

use std::collections::HashMap;

use sqlparser::ast::{BinaryOperator, Expr, GroupByExpr, OrderByKind};

use text2sql_sql::tree::syntax::{fold, without_parentheses};
use text2sql_sql::tree::walk::output_of;
use text2sql_sql::tree::{Block, Tree, walk};

/// The clause in which a name stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clause {
    Output,
    /// ON of the source at a position: those after it are not known there.
    On(usize),
    Where,
    /// GROUP BY; the whole of an item, or a part of it.
    Group {
        is_whole: bool,
    },
    Having,
    Order {
        is_whole: bool,
    },
}

/// A name of a column.
pub(super) struct Use<'q> {
    /// The address of its expression.
    pub(super) at: usize,
    pub(super) block: usize,
    /// Folded.
    pub(super) qualifier: Option<String>,
    /// Folded.
    pub(super) column: String,
    pub(super) clause: Clause,
    /// What it must be equal to.
    pub(super) equal: Option<&'q Expr>,
}

/// Identifies a part of a query by its address, which is stable while the query is neither changed nor moved.
pub(crate) fn address<T>(part: &T) -> usize {
    std::ptr::from_ref(part).addr()
}

/// All names of columns, block by block.
pub(super) fn uses<'q>(tree: &Tree<'q>) -> Vec<Use<'q>> {
    let mut found = Vec::new();
    for (position, block) in tree.blocks.iter().enumerate() {
        for (expression, clause) in clauses(block) {
            collect(expression, clause, position, &mut found);
        }
    }
    found
}

fn clauses<'q>(block: &Block<'q>) -> Vec<(&'q Expr, Clause)> {
    let select = block.select;
    let mut all: Vec<(&Expr, Clause)> = Vec::new();
    let outputs = select.projection.iter().filter_map(output_of);
    all.extend(outputs.map(|output| (output, Clause::Output)));
    for (position, source) in block.sources.iter().enumerate() {
        let conditions = source.conditions.iter();
        all.extend(conditions.map(|condition| (*condition, Clause::On(position))));
    }
    let filter = select.selection.iter();
    all.extend(filter.map(|filter| (filter, Clause::Where)));
    if let GroupByExpr::Expressions(groups, _) = &select.group_by {
        let group = |group| (group, Clause::Group { is_whole: false });
        all.extend(groups.iter().map(group));
    }
    all.extend(select.having.iter().map(|having| (having, Clause::Having)));
    let order = block.query.and_then(|query| query.order_by.as_ref());
    if let Some(OrderByKind::Expressions(items)) = order.map(|order| &order.kind) {
        let items = items.iter().map(|item| &item.expr);
        all.extend(items.map(|item| (item, Clause::Order { is_whole: false })));
    }
    all
}

fn collect<'q>(whole: &'q Expr, clause: Clause, block: usize, found: &mut Vec<Use<'q>>) {
    let mut equals: HashMap<usize, &'q Expr> = HashMap::new();
    let whole = without_parentheses(whole);
    walk(whole, &mut |part| {
        if let Expr::BinaryOp {
            left,
            op: BinaryOperator::Eq,
            right,
        } = part
        {
            let (left, right) = (without_parentheses(left), without_parentheses(right));
            equals.insert(address(left), right);
            equals.insert(address(right), left);
        }
        let (qualifier, column) = match part {
            Expr::Identifier(name) => (None, fold(name)),
            Expr::CompoundIdentifier(names) => match names.as_slice() {
                [qualifier, column] => (Some(fold(qualifier)), fold(column)),
                _ => return,
            },
            _ => return,
        };
        let is_whole = std::ptr::eq(part, whole);
        found.push(Use {
            at: address(part),
            block,
            qualifier,
            column,
            clause: match clause {
                Clause::Group { .. } => Clause::Group { is_whole },
                Clause::Order { .. } => Clause::Order { is_whole },
                other => other,
            },
            equal: equals.get(&address(part)).copied(),
        });
    });
}

/// Whether a query contains this text as the name of a source.
pub(super) fn is_taken(tree: &Tree<'_>, name: &str) -> bool {
    let mut sources = tree.blocks.iter().flat_map(|block| &block.sources);
    let is_helper = || {
        let mut helpers = tree.blocks.iter().flat_map(|block| &block.helpers);
        helpers.any(|helper| fold(&helper.alias.name) == name)
    };
    sources.any(|source| source.name == name) || is_helper()
}
