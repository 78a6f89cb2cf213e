//! Joins that nothing needs, and the rows that they repeat.

use sqlparser::ast::{Expr, GroupByExpr};
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Cell, Execution};
use text2sql_phrases::say;
use text2sql_sql::tree::walk::{expressions, grouped_expressions, output_of};
use text2sql_sql::tree::{Block, JoinKind, Place, Tree, aggregates};

use super::suspicion::Suspicion;
use crate::findings::grouping::is_grouped;
use crate::findings::said::Said;
use crate::mend::{Edit, address};

/// An inner join with a table that nothing else uses and the question does not name: it loses rows or repeats them.
pub(super) fn join_added(tree: &Tree<'_>, said: &Said<'_>) -> Option<Suspicion> {
    tree.blocks
        .iter()
        .enumerate()
        .find_map(|(position, block)| {
            let mut sources = block.sources.iter().enumerate();
            let (at, source) = sources.find(|(at, source)| {
                let is_joined = matches!(source.join, JoinKind::Inner | JoinKind::First);
                let table = source.table().filter(|_| is_joined && !source.is_nested);
                table.is_some_and(|table| {
                    let is_counted = *at == 0 && !aggregates(block.select, block.query).is_empty();
                    !is_counted
                        && !is_said(said, table, block)
                        && is_idle(tree, block, (position, *at))
                })
            })?;
            let table = source.table()?.sql_name();
            // The second source stands first then, without a condition.
            let is_free = at > 0
                || block
                    .sources
                    .get(1)
                    .is_some_and(|next| next.join == JoinKind::Inner);
            Some(Suspicion {
                said: say!(
                    "it joins {table}, of which the question says nothing",
                    table
                ),
                edit: is_free.then(|| Edit::Leave {
                    at: address(source.factor),
                }),
            })
        })
}

/// The same names several times, because of a join, or because nothing is counted for each.
pub(super) fn rows_repeated(
    tree: &Tree<'_>,
    said: &Said<'_>,
    execution: &Execution,
) -> Option<Suspicion> {
    let top = tree.blocks.iter().find(|block| block.place == Place::Top)?;
    let is_list = aggregates(top.select, top.query).is_empty() && !is_grouped(top);
    let shown = |row: &Vec<Cell>| -> Vec<Option<String>> {
        row.iter().map(|cell| cell.text.clone()).collect()
    };
    let mut rows: Vec<_> = execution.rows.iter().map(shown).collect();
    let all = rows.len();
    rows.sort();
    rows.dedup();
    let is_joined = top.sources.len() > 1;
    let is_apart = said.words().iter().any(|word| word == "by");
    (is_list && (is_joined || is_apart) && rows.len() < all).then(|| Suspicion {
        said: say!("it shows the same rows several times"),
        edit: is_joined.then(|| Edit::Distinct {
            select: address(top.select),
        }),
    })
}

/// Whether a question has a word of a table's name that is not the name of another table of the block: "customers" say
/// nothing of `customer_addresses` beside `customers`.
fn is_said(said: &Said<'_>, table: &Table, block: &Block<'_>) -> bool {
    let others = block.sources.iter().filter_map(|source| source.table());
    let others: Vec<String> = others
        .filter(|other| other.oid != table.oid)
        .flat_map(|other| said.analyzer.terms_of_name(&other.name).to_vec())
        .collect();
    let mut names = std::iter::once(&table.name).chain(&table.synonyms);
    names.any(|name| {
        let terms = said.analyzer.terms_of_name(name);
        terms
            .iter()
            .any(|term| !others.contains(term) && said.has_term(term))
    })
}

/// Whether a source is used by one join, and by nothing else.
fn is_idle(tree: &Tree<'_>, block: &Block<'_>, (position, at): (usize, usize)) -> bool {
    let uses = |block: usize, expression: &Expr| {
        let columns = tree.columns_in(block, expression);
        let mut columns = columns.iter();
        columns.any(|column| column.block == position && column.source == at)
    };
    let mut joins = 0;
    for source in &block.sources {
        let mut conditions = source.conditions.iter();
        joins += usize::from(conditions.any(|condition| uses(position, condition)));
    }
    let has_named_columns = block.sources.iter().any(|source| !source.shared.is_empty());
    let shows_all = block
        .select
        .projection
        .iter()
        .any(|item| output_of(item).is_none());
    let is_used = tree.blocks.iter().enumerate().any(|(place, block)| {
        // In the block itself, everything but the conditions of joins.
        let mut all = match place == position {
            true => grouped_expressions(block.select, block.query),
            false => expressions(block.select, block.query),
        };
        all.extend(&block.select.selection);
        if let GroupByExpr::Expressions(groups, _) = &block.select.group_by {
            all.extend(groups);
        }
        all.into_iter().any(|expression| uses(place, expression))
    });
    joins == 1 && !has_named_columns && !shows_all && !is_used
}
