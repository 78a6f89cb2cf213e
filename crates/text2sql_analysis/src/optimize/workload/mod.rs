//! One set of indexes for the statements that a server ran, from `pg_stat_statements`: candidates of each, merged, and
//! chosen greedily by what they save in all.
//!
//! Costs are the planner's, with hypothetical indexes, times the calls. Where the planner has none, they are guessed from
//! the plan.

mod budget;
mod choose;
mod guess;
mod merge;
mod prices;
mod proposals;
mod recorded;
mod report;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::budget::{Budget, WorkStatement};
use self::choose::choose;
use self::merge::{Merged, merged};
use self::prices::Prices;
pub use self::proposals::{ProposedIndex, ProposedRewrite, WorkloadProposals};
pub use self::recorded::{Plannable, parameters, plannable, typed};
pub use self::report::{Gain, IndexFacts, Line, Recorded, TableFacts, note, report};
use super::candidates::candidates;
use super::rewrites;
use super::{Planner, Storage};
use text2sql_domain::error::Error;
use text2sql_domain::interrupts;
use text2sql_domain::schema::Table;
use text2sql_sql::tree as sql_tree;
use text2sql_sql::tree::Tree;

/// Minimum share of the cost of a statement that a rewrite saves.
const MIN_REWRITE_SAVING: f64 = 0.05;

/// What would help the workload. `tables` are those that its statements name.
pub fn propose(
    statements: &[WorkStatement],
    tables: &[Arc<Table>],
    planner: &dyn Planner,
    budget: &Budget,
) -> Result<WorkloadProposals, Error> {
    let storage = planner.storage(tables)?;
    let mut prices = Prices::new(planner, statements);
    let mut found = BTreeMap::new();
    let mut rewritten = Vec::new();
    for (place, statement) in statements.iter().enumerate() {
        interrupts::check()?;
        let Some(before) = prices.present(place)? else {
            continue;
        };
        let Some(query) = readable(&statement.query)? else {
            continue;
        };
        let tree = Tree::read(&query, tables);
        found.insert(place, candidates(&tree, &storage));
        for rewrite in rewrites::all(&query, &tree, &storage) {
            // A recorded statement ran in sessions that are not known here.
            if rewrite.proviso.is_some() {
                continue;
            }
            let Some(plan) = planner.plan(&typed(&rewrite.sql, &statement.types), &[])? else {
                continue;
            };
            let after = plan.plan.cost();
            if after <= before * (1.0 - MIN_REWRITE_SAVING) {
                rewritten.push(ProposedRewrite {
                    statement: place,
                    rewrite,
                    before,
                    after,
                });
            }
        }
    }
    let merged = merged(found);
    let indexes = prices.worth_trying(&merged, tables)?;
    let weights: Vec<f64> = statements.iter().map(|one| one.calls).collect();
    let chosen = choose(&indexes, &weights, budget, &mut prices)?;
    let mut proposed = Vec::new();
    for &place in &chosen {
        let Some(index) = indexes.get(place) else {
            continue;
        };
        let gains = prices.gains(&indexes, &chosen, place)?;
        if gains.is_empty() {
            continue;
        }
        proposed.push(ProposedIndex {
            table: index.candidate.table,
            statement: index.candidate.statement(),
            columns: index.candidate.columns.clone(),
            size: index.size,
            gains,
            redundant: redundant(index, &storage),
        });
    }
    let after = (0..statements.len()).map(|place| prices.with(&indexes, &chosen, place));
    Ok(WorkloadProposals {
        after: after.collect::<Result<_, Error>>()?,
        before: prices.all_present(),
        indexes: proposed,
        rewrites: rewritten,
        is_planned: planner.can_imagine(),
        is_cut: prices.is_cut(),
    })
}

fn readable(sql: &str) -> Result<Option<Box<sqlparser::ast::Query>>, Error> {
    match sql_tree::parse(sql) {
        Err(error) if error.kind() == text2sql_domain::error::ErrorKind::Setting => Ok(None),
        query => query,
    }
}

/// Existing indexes whose columns begin the proposed one.
fn redundant(index: &Merged, storage: &[Storage]) -> Vec<String> {
    let columns = &index.candidate.columns;
    let existing = storage
        .iter()
        .filter(|own| own.table == index.candidate.table)
        .flat_map(|own| &own.indexes);
    existing
        .filter(|known| {
            !known.is_unique
                && !known.is_partial
                && known.method == "btree"
                && known.columns.len() < columns.len()
                && known
                    .columns
                    .iter()
                    .zip(columns)
                    .all(|(one, other)| one.as_ref() == Some(other))
        })
        .map(|known| known.name.clone())
        .collect()
}
