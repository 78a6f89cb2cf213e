//! Columns beside aggregates that GROUP BY leaves out although the keys say that they are the same in the whole group.

use std::sync::Arc;

use sqlparser::ast::{Expr, GroupByExpr, Query};

use text2sql_domain::schema::Table;
use text2sql_phrases::say;
use text2sql_sql::tree::walk::{children, grouped_expressions};
use text2sql_sql::tree::{Reference, Tree, aggregate};

use super::apply::{self, Edit};
use super::mended::Mended;
use super::uses::address;

pub(super) fn mend(mut query: Box<Query>, tables: &[Arc<Table>]) -> Option<Mended> {
    let mut edits = Vec::new();
    let mut changes = Vec::new();
    let tree = Tree::read(&query, tables);
    for (position, block) in tree.blocks.iter().enumerate() {
        let GroupByExpr::Expressions(groups, _) = &block.select.group_by else {
            continue;
        };
        if groups.is_empty() {
            continue;
        }
        let mut fixing = tree.fixing(position);
        fixing.fix_groups();
        let determined = fixing.determined(&[]);
        let mut missing: Vec<Reference> = Vec::new();
        for expression in grouped_expressions(block.select, block.query) {
            for column in alone(&tree, position, expression, groups) {
                let is_same = fixing.is_constant(&column)
                    || determined.get(column.source).copied().unwrap_or(false);
                if !is_same || tree.is_optional(position, column.source) {
                    return None;
                }
                if !missing.contains(&column) {
                    missing.push(column);
                }
            }
        }
        let by: Vec<Expr> = missing
            .iter()
            .filter_map(|column| apply::expression(&tree.sql(column)))
            .collect();
        for column in &missing {
            let name = tree.label(column);
            changes.push(say!(
                "{name} was added to GROUP BY: it is the same in each group"
            ));
        }
        if !by.is_empty() {
            edits.push(Edit::Group {
                select: address(block.select),
                by,
            });
        }
    }
    (apply::apply(&mut query, edits) && !changes.is_empty()).then(|| Mended {
        sql: query.to_string(),
        changes,
    })
}

/// The block's own columns in an expression that stand outside aggregates and grouped expressions.
fn alone(tree: &Tree<'_>, block: usize, expression: &Expr, groups: &[Expr]) -> Vec<Reference> {
    let mut found = Vec::new();
    let mut waiting = vec![expression];
    while let Some(next) = waiting.pop() {
        if aggregate(next).is_some() || groups.contains(next) {
            continue;
        }
        if matches!(next, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
            if let Some(column) = tree.resolve(block, next)
                && column.block == block
                && !groups
                    .iter()
                    .any(|group| tree.resolve(block, group).as_ref() == Some(&column))
            {
                found.push(column);
            }
            continue;
        }
        waiting.extend(children(next));
    }
    found
}
