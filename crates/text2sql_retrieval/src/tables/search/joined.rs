//! The tables around the found ones: what they explain, and those that connect them.

use std::collections::{HashMap, HashSet};

use super::inputs::Search;
use crate::found_table::Reason;
use crate::joins::bridge_tables::JoinGraph;
use crate::lexical::bm25::ItemScorer;
use crate::lexical::term_matches::Matches;
use crate::ranking::coverage_rerank::{self, Neighbourhood};
use crate::ranking::readable_tables::Admission;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::Joining;

/// Maximum number of joins read for one table.
pub(super) const JOINS_PER_TABLE: usize = 30;

/// How many of the best tables are connected by joins, and the minimum share of the best score they need.
const MAX_SEEDS: usize = 6;
const SEED_SHARE: f64 = 0.6;

impl Search<'_> {
    /// Joins from or to the tables; for changed tables, their present ones.
    pub(super) fn joins(&self, tables: &[u32]) -> Result<Vec<Joining>, Error> {
        let mut joins = self.index.joins(tables, JOINS_PER_TABLE)?;
        joins.retain(|join| !self.overlay.replaces(join.from));
        joins.extend(self.overlay.joins(tables).cloned());
        Ok(joins)
    }

    /// Inserts the tables that connect the best ones directly after those that they connect.
    pub(super) fn close(
        &self,
        order: &mut Vec<u32>,
        graph: &mut JoinGraph,
        ranked: &[(u32, f64)],
        admission: &mut Admission<'_>,
        reasons: &mut HashMap<u32, Vec<Reason>>,
    ) -> Result<(), Error> {
        let best = ranked.first().map_or(0.0, |(_, score)| *score);
        let scores: HashMap<u32, f64> = ranked.iter().copied().collect();
        let is_near =
            |table: &&u32| scores.get(*table).copied().unwrap_or(0.0) >= SEED_SHARE * best;
        let seeds: Vec<u32> = order
            .iter()
            .filter(is_near)
            .take(MAX_SEEDS)
            .copied()
            .collect();
        let bridges = self.index.bridges(&seeds, JOINS_PER_TABLE)?;
        graph.add(&self.joins(&bridges)?);
        let preferred: HashSet<u32> = ranked.iter().map(|(table, _)| *table).collect();
        let found = graph.connect(&seeds, &preferred);
        let tables: Vec<u32> = found.iter().map(|(table, _)| *table).collect();
        admission.admit(&tables)?;
        for (table, reached) in found {
            if !admission.may_read(table) {
                continue;
            }
            reasons
                .entry(table)
                .or_default()
                .push(Reason::Connects(reached));
            order.retain(|known| *known != table);
            let place = order.iter().position(|known| *known == reached);
            order.insert(place.map_or(order.len(), |place| place + 1), table);
        }
        Ok(())
    }
}

/// What the tables joined to the candidates explain.
pub(super) fn neighbourhood(
    graph: &JoinGraph,
    tables: &[u32],
    (matches, items): (&Matches, &ItemScorer),
    admission: &mut Admission<'_>,
) -> Result<Neighbourhood, Error> {
    let mut around = Neighbourhood::default();
    let mut wanted: Vec<u32> = tables
        .iter()
        .flat_map(|table| graph.neighbours(*table))
        .copied()
        .filter(|table| !matches.item(*table).is_empty())
        .collect();
    wanted.extend(tables);
    wanted.sort_unstable();
    wanted.dedup();
    admission.admit(&wanted)?;
    wanted.retain(|table| admission.may_read(*table));
    for table in wanted {
        let cover = coverage_rerank::cover(
            matches,
            items,
            matches.item(table),
            admission.visible(table),
        );
        around.covers.insert(table, cover);
    }
    for &table in tables {
        let joined = graph.neighbours(table).to_vec();
        around.joined.insert(table, joined);
    }
    Ok(around)
}
