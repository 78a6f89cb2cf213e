//! Finds the tables of a question in a catalog of any size: legs, fusion, re-ranking, bridge tables.
//!
//! Everything is scored from the postings of the question's terms; what the caller may not read is
//! removed before it can take a place.

mod inputs;
mod joined;
mod legs;
mod names;
mod question_words;
mod readable_words;

use std::collections::HashMap;

pub use self::inputs::Search;
use self::joined::{JOINS_PER_TABLE, neighbourhood};
use self::legs::LEG_DEPTH;
use self::names::pinned_first;
pub use self::question_words::Reading;
use self::question_words::Searched;
use super::families::{self, Family};
use super::neighbours;
use crate::certainty::{self, Certainty, Known};
use crate::found_table::{FoundTable, Reason};
use crate::joins::bridge_tables::JoinGraph;
use crate::lexical::bm25::{ItemScorer, PartScorer};
use crate::lexical::term_matches::{Match, Matches, Visible};
use crate::ranking::coverage_rerank::{self, Candidate, Cover, Shares};
use crate::ranking::rank_fusion::{Leg, LegRank, fuse};
use crate::ranking::readable_tables::Admission;
use crate::values::{self, Phrases};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Joining, ValueHit};
use text2sql_language::understanding::Understanding;

/// How many tables are usually found. A prompt of 30,000 characters holds about twice as many.
pub const MAX_TABLES_FOUND: usize = 40;

/// Maximum number of re-ranked candidates.
const MAX_CANDIDATES: usize = 150;

/// The neighbours of the best tables come after those that come close to the best, but at least this many, and at
/// most: with them, they are what a prompt usually shows.
const FEWEST_BEST: usize = 8;
const MOST_BEST: usize = MAX_TABLES_FOUND - neighbours::ALL;

/// How many further neighbours there is room for, however few tables a prompt shows.
const FEWEST_FURTHER: usize = 4;

/// How many of the best tables have to explain the question, with those joined to them.
const EXPLAINING: usize = 5;

/// What a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// Tables, best first.
    pub tables: Vec<FoundTable>,
    /// Families that one of the tables represents.
    pub families: Vec<Family>,
    /// The joins among the tables.
    pub joins: Vec<Joining>,
    /// How certain it is that the tables of the question are among the best.
    pub certainty: Certainty,
    /// Further tables that were ranked and not found, best first.
    pub others: Vec<u32>,
}

/// The values that a question mentions.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mentioned<'a> {
    /// Where they are stored.
    pub hits: &'a [ValueHit],
    /// The phrases of the question that mean them.
    pub phrases: &'a [String],
}

impl Search<'_> {
    /// Finds at most `limit` tables. `values` are the values that the question mentions.
    pub fn find(
        &self,
        understanding: &Understanding,
        values: &[ValueHit],
        limit: usize,
    ) -> Result<Found, Error> {
        let values = Mentioned {
            hits: values,
            phrases: &[],
        };
        self.find_by_certainty(understanding, values, &|_| limit)
    }

    /// Finds as many tables as `limit` says for the certainty of the search.
    pub fn find_by_certainty(
        &self,
        understanding: &Understanding,
        mentioned: Mentioned<'_>,
        limit: &dyn Fn(&Certainty) -> usize,
    ) -> Result<Found, Error> {
        let hits = mentioned.hits;
        let mut admission = Admission::new(self.index);
        let searched = self.searched(understanding, hits, &mut admission)?;
        let matches = &searched.matches;
        let totals = &self.state.schema;
        let parts = PartScorer::new(matches, totals);
        let items = ItemScorer::new(matches, totals);
        let counts = &self.config.weights;
        let mut legs = Vec::new();
        if self.config.columns {
            let score = |entries: &[Match], visible: Visible<'_>| {
                let best = parts.scores(matches, entries, visible);
                best.first().map_or(0.0, |part| part.score)
            };
            let leg = (Leg::Columns, counts.words);
            legs.push(admission.leg(leg, matches, &score, LEG_DEPTH)?);
        }
        if self.config.tables {
            let score =
                |entries: &[Match], visible: Visible<'_>| items.score(matches, entries, visible);
            let leg = (Leg::Tables, counts.words);
            legs.push(admission.leg(leg, matches, &score, LEG_DEPTH)?);
        }
        let similarities = match self
            .embedder
            .filter(|_| self.config.vectors && self.config.table_vectors)
        {
            Some(embedder) => {
                let leg = self.vector_leg(embedder, understanding, &mut admission)?;
                let similarities = leg.items.iter().copied().collect();
                legs.push(leg);
                similarities
            }
            None => HashMap::new(),
        };
        let mut votes: HashMap<u32, f64> = HashMap::new();
        let holding = match self.config.values {
            true => values::holding(
                &Phrases::recent(understanding, self.analyzer),
                hits,
                self.analyzer,
            ),
            false => Vec::new(),
        };
        if self.config.values && !hits.is_empty() {
            let leg = self.value_leg(understanding, hits, matches, &legs, &admission);
            votes.extend(leg.items.iter().copied());
            legs.push(leg);
        }
        let fused = fuse(&legs);
        let ranks: HashMap<u32, Vec<LegRank>> = fused
            .iter()
            .map(|entry| (entry.item, entry.ranks.clone()))
            .collect();
        let mut ranked: Vec<(u32, f64)> = fused
            .iter()
            .take(MAX_CANDIDATES)
            .map(|entry| (entry.item, entry.score))
            .collect();
        let named = self.named(matches, &ranked);
        let tables: Vec<u32> = ranked.iter().map(|(table, _)| *table).collect();
        admission.admit(&tables)?;
        let mut graph = JoinGraph::default();
        if self.config.closure || self.config.coherence {
            graph.add(&self.joins(&tables)?);
        }
        if self.config.rerank {
            let candidates: Vec<Candidate> = tables
                .iter()
                .map(|&table| Candidate {
                    table,
                    schema: admission.schema(table),
                    cover: coverage_rerank::cover(
                        matches,
                        &items,
                        matches.item(table),
                        admission.visible(table),
                    ),
                    similarity: similarities.get(&table).copied().unwrap_or(0.0),
                    value: votes.get(&table).copied().unwrap_or(0.0),
                })
                .collect();
            let around = match self.config.coherence {
                true => Some(neighbourhood(
                    &graph,
                    &tables,
                    (matches, &items),
                    &mut admission,
                )?),
                false => None,
            };
            let similarity = self.embedder.map_or(0.0, |embedder| {
                searched.similarity_weight(embedder, items.weights())
            });
            let shares = Shares {
                words: counts.words,
                similarity: counts.vectors * similarity,
                value: (counts.values - 1.0).max(0.0) * searched.word_weight(items.weights()),
            };
            let scores =
                coverage_rerank::score(&candidates, items.weights(), around.as_ref(), shares);
            ranked = tables.iter().copied().zip(scores).collect();
            ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        }
        let certainty = self.certainty(
            understanding,
            (matches, &items),
            &ranked,
            (&graph, &mut admission),
            Known {
                values: mentioned.phrases,
                near: &searched.near_words(),
                readable: &searched.readable,
            },
        )?;
        let limit = limit(&certainty);
        let mut families = Vec::new();
        if self.config.families {
            let top: Vec<u32> = ranked.iter().take(limit).map(|(table, _)| *table).collect();
            let siblings = self.index.siblings(&top, families::MAX_MEMBERS)?;
            families = families::group(&siblings, &top, understanding);
            families::collapse(&families, &mut ranked);
        }
        let mut reasons: HashMap<u32, Vec<Reason>> = HashMap::new();
        for (table, _) in &ranked {
            let of_table = reasons.entry(*table).or_default();
            if named.contains(table) {
                of_table.push(Reason::Named);
            }
            if hits.iter().any(|hit| hit.table == *table) {
                of_table.push(Reason::Value);
            }
            if of_table.is_empty() {
                of_table.push(Reason::Matched);
            }
        }
        let mut order = pinned_first(&ranked, &named, limit);
        if self.config.closure {
            self.close(
                &mut order,
                &mut graph,
                &ranked,
                &mut admission,
                &mut reasons,
            )?;
            order.truncate(limit);
            let mut after = certainty
                .close
                .clamp(FEWEST_BEST, MOST_BEST)
                .min(order.len());
            admission.admit(&holding)?;
            graph.add(&self.joins(&holding)?);
            for table in &holding {
                let is_first = order.iter().take(after).any(|known| known == table);
                if !is_first && admission.may_read(*table) {
                    order.retain(|known| known != table);
                    order.insert(after.min(order.len()), *table);
                    after += 1;
                    let reasons = reasons.entry(*table).or_default();
                    if reasons.is_empty() {
                        reasons.push(Reason::Value);
                    }
                }
            }
            let beside: Vec<u32> = order
                .iter()
                .take(after)
                .flat_map(|table| graph.neighbours(*table))
                .copied()
                .collect();
            admission.admit(&beside)?;
            let may_read = |table: u32| admission.may_read(table);
            let joined =
                neighbours::insert(&mut order, after, &holding, &graph, &ranked, &may_read);
            let first = (after + joined.len()).min(order.len());
            order.truncate(limit.max(first));
            let has_value = |table: u32| votes.contains_key(&table);
            let mut further = neighbours::further(&order, first, &graph, &ranked, &has_value);
            // Some of them may be closed to the caller.
            further.truncate(2 * neighbours::FURTHER);
            let tables: Vec<u32> = further.iter().map(|(table, _)| *table).collect();
            admission.admit(&tables)?;
            further.retain(|(table, _)| admission.may_read(*table));
            further.truncate(neighbours::FURTHER);
            // Before the last, which share little with the question; few where a prompt shows few.
            let place = first.max(limit / 2).min(order.len());
            order.splice(place..place, further.iter().map(|(table, _)| *table));
            order.truncate(limit.max(first + FEWEST_FURTHER.min(further.len())));
            for (table, of) in joined.into_iter().chain(further) {
                let reasons = reasons.entry(table).or_default();
                if reasons.is_empty() || *reasons == [Reason::Matched] {
                    reasons.push(Reason::Joined(of));
                }
            }
        }
        let others = ranked.iter().map(|(table, _)| *table);
        let others = others.filter(|table| !order.contains(table)).collect();
        let scores: HashMap<u32, f64> = ranked.into_iter().collect();
        let joins = self.joins(&order)?;
        Ok(Found {
            tables: order
                .iter()
                .map(|&table| FoundTable {
                    table,
                    score: scores.get(&table).copied().unwrap_or(0.0),
                    ranks: ranks.get(&table).cloned().unwrap_or_default(),
                    reasons: with_readings(
                        reasons.remove(&table).unwrap_or_default(),
                        &searched,
                        (table, admission.visible(table)),
                    ),
                    columns: parts
                        .scores(matches, matches.item(table), admission.visible(table))
                        .into_iter()
                        .filter_map(|part| Some((part.unit.filter(|unit| *unit > 0)?, part.score)))
                        .collect(),
                })
                .collect(),
            families,
            certainty,
            others,
            joins: joins
                .into_iter()
                .filter(|join| order.contains(&join.from) && order.contains(&join.to))
                .collect(),
        })
    }

    /// How certain it is that the tables of the question are among the best of the ranked ones.
    fn certainty(
        &self,
        understanding: &Understanding,
        (matches, items): (&Matches, &ItemScorer),
        ranked: &[(u32, f64)],
        (graph, admission): (&JoinGraph, &mut Admission<'_>),
        known: Known<'_>,
    ) -> Result<Certainty, Error> {
        let mut around: Vec<u32> = Vec::new();
        for (table, _) in ranked.iter().take(EXPLAINING) {
            around.push(*table);
            around.extend(graph.neighbours(*table).iter().take(JOINS_PER_TABLE));
        }
        admission.admit(&around)?;
        let mut best = ranked.iter().take(EXPLAINING);
        let is_joined = best.any(|(table, _)| {
            let mut joined = graph.neighbours(*table).iter();
            joined.any(|other| admission.may_read(*other))
        });
        around.retain(|table| admission.may_read(*table));
        let cover = |table: &u32| {
            coverage_rerank::cover(
                matches,
                items,
                matches.item(*table),
                admission.visible(*table),
            )
        };
        let covers: Vec<Cover> = around.iter().map(cover).collect();
        let analyzer = self.analyzer;
        let words = certainty::words(understanding, analyzer, items.weights(), &covers, known);
        let scores: Vec<f64> = ranked.iter().map(|(_, score)| *score).collect();
        Ok(Certainty::of(&words, &scores, is_joined))
    }
}

/// The reasons with the words of the question that were read as a word in the name of the table or of a column
/// that the caller may read.
fn with_readings(
    mut reasons: Vec<Reason>,
    searched: &Searched,
    (table, visible): (u32, Visible<'_>),
) -> Vec<Reason> {
    let matches = &searched.matches;
    let entries = matches.item(table);
    let is_called = |term: &str| {
        let mut near = entries.iter().filter(|entry| !matches.is_own(entry.term));
        near.any(|entry| {
            matches.term(entry.term) == term
                && matches
                    .hits(entry)
                    .iter()
                    .any(|hit| (hit.in_name || hit.is_read) && visible.has(hit.unit))
        })
    };
    let mut readings: Vec<&Reading> = Vec::new();
    for reading in searched.readings.iter().filter(|one| is_called(&one.term)) {
        // The best near word of each word that this table has.
        if !readings
            .iter()
            .any(|known| known.written == reading.written)
        {
            readings.push(reading);
        }
    }
    let is_shared = |entry: &Match| {
        matches.is_own(entry.term) && matches.hits(entry).iter().any(|hit| visible.has(hit.unit))
    };
    if !readings.is_empty() && !entries.iter().any(is_shared) {
        reasons.retain(|reason| *reason != Reason::Matched);
    }
    reasons.extend(readings.into_iter().map(|reading| Reason::ReadAs {
        written: reading.written.clone(),
        word: reading.near.word.clone(),
    }));
    reasons
}
