//! The re-ranker without a model: how much of the question a table covers, alone and together with the
//! tables around it.
//!
//! The weight of a term is its idf. A table covers a term best by its own name, less by the name of a
//! column, and least by a comment. Questions are about tables that belong together,
//! so a table also gets credit for what its neighbours cover: those joined to it, and those of its
//! schema. Of the many tables called `customer`, the one meant is next to the `invoice` and the
//! `track` that the question also mentions. The constants are round numbers that express an order; they
//! were not fitted to questions.

use std::collections::HashMap;

use crate::index::postings::Hit;
use crate::lexical::bm25::ItemScorer;
use crate::lexical::term_matches::{Match, Matches, Visible};
use text2sql_domain::ports::search_index::NAME;

/// How well a hit covers its term, by the kind of unit. Each further word of a name reduces it.
const IN_TABLE_NAME: f64 = 1.0;
const IN_COLUMN_NAME: f64 = 0.8;
const IN_TEXT: f64 = 0.6;
const IN_FOREIGN_KEY: f64 = 0.4;
const EACH_FURTHER_WORD: f64 = 0.2;

/// The weight of the neighbours' coverage, relative to the table's own.
const NEIGHBOURHOOD: f64 = 1.0;

/// More neighbours than this cover any question by chance: their weight is reduced in proportion.
const USUAL_NEIGHBOURS: f64 = 40.0;

/// How well each word is covered, 0 to 1.
pub type Cover = Vec<f64>;

/// How well an item covers each word of the question.
pub fn cover(
    matches: &Matches,
    scorer: &ItemScorer,
    entries: &[Match],
    visible: Visible<'_>,
) -> Cover {
    let mut cover = vec![0.0f64; matches.positions()];
    for entry in entries {
        let hits = matches.hits(entry).iter();
        let best = hits
            .filter(|hit| visible.has(hit.unit))
            .map(strength)
            .fold(0.0, f64::max);
        let (word, _) = matches.place(entry.term);
        if let Some(place) = cover.get_mut(word) {
            *place = place.max(best * scorer.share(matches, entry.term));
        }
    }
    cover
}

fn strength(hit: &Hit) -> f64 {
    let further = f64::from(hit.name_length.saturating_sub(1));
    let shared = hit.certainty() / (1.0 + EACH_FURTHER_WORD * further);
    match hit.unit {
        NAME => IN_TABLE_NAME * shared,
        _ if hit.is_called() => IN_TABLE_NAME * shared,
        unit if unit < 0 && hit.is_part() => IN_FOREIGN_KEY * hit.certainty(),
        _ if hit.is_part() && (hit.in_name || hit.is_read) => IN_COLUMN_NAME * shared,
        _ => IN_TEXT,
    }
}

/// A table to rank.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The table.
    pub table: u32,
    /// OID of its schema.
    pub schema: u32,
    /// Its own coverage.
    pub cover: Cover,
    /// Similarity of its nearest unit to the question, 0 to 1; 0 without vectors.
    pub similarity: f64,
    /// How certainly it holds a value of the question, 0 to 1.
    pub value: f64,
}

/// What each part of a score counts.
#[derive(Debug, Clone, Copy)]
pub struct Shares {
    /// A factor of the coverage.
    pub words: f64,
    /// The weight of a similarity of 1.
    pub similarity: f64,
    /// The weight of a certain value; 0 by default: a table with a value of the question usually has its words, too.
    pub value: f64,
}

/// The tables around the candidates.
#[derive(Debug, Default)]
pub struct Neighbourhood {
    /// The coverage of each joined table, whether it is a candidate or not.
    pub covers: HashMap<u32, Cover>,
    /// Which tables are joined to which.
    pub joined: HashMap<u32, Vec<u32>>,
}

/// Scores candidates; the score of the n-th is the n-th of the result.
pub fn score(
    candidates: &[Candidate],
    weights: &[f64],
    neighbourhood: Option<&Neighbourhood>,
    shares: Shares,
) -> Vec<f64> {
    let schemas = neighbourhood.map(|_| schema_covers(candidates, weights.len()));
    candidates
        .iter()
        .map(|candidate| {
            let own = weigh(&candidate.cover, weights);
            let around = neighbourhood.map_or(0.0, |around| {
                let schema = schemas.as_ref().and_then(|all| all.get(&candidate.schema));
                around_score(candidate, weights, around, schema)
            });
            shares.words * (own + NEIGHBOURHOOD * around)
                + shares.similarity * candidate.similarity
                + shares.value * candidate.value
        })
        .collect()
}

/// The coverage of the candidate together with its neighbours.
fn around_score(
    candidate: &Candidate,
    weights: &[f64],
    around: &Neighbourhood,
    schema: Option<&(Cover, usize)>,
) -> f64 {
    let mut together = candidate.cover.clone();
    let joined = around.joined.get(&candidate.table);
    let joined = joined.map(Vec::as_slice).unwrap_or_default();
    let share = share_of(joined.len());
    for cover in joined.iter().filter_map(|table| around.covers.get(table)) {
        take_better(&mut together, cover, share);
    }
    if let Some((cover, members)) = schema {
        take_better(&mut together, cover, share_of(*members));
    }
    weigh(&together, weights)
}

fn share_of(neighbours: usize) -> f64 {
    (USUAL_NEIGHBOURS / neighbours.max(1) as f64).min(1.0)
}

fn schema_covers(candidates: &[Candidate], terms: usize) -> HashMap<u32, (Cover, usize)> {
    let mut schemas: HashMap<u32, (Cover, usize)> = HashMap::new();
    for candidate in candidates {
        let entry = schemas.entry(candidate.schema);
        let (cover, members) = entry.or_insert_with(|| (vec![0.0; terms], 0));
        take_better(cover, &candidate.cover, 1.0);
        *members += 1;
    }
    schemas
}

fn take_better(cover: &mut Cover, other: &Cover, share: f64) {
    for (place, value) in cover.iter_mut().zip(other) {
        *place = place.max(share * value);
    }
}

/// The weighted sum.
pub fn weigh(cover: &Cover, weights: &[f64]) -> f64 {
    cover.iter().zip(weights).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_share_brings_forward_what_it_counts() {
        let candidate = |table, words, similarity, value| Candidate {
            table,
            schema: 0,
            cover: vec![words],
            similarity,
            value,
        };
        let candidates = [
            candidate(1, 1.0, 0.0, 0.0),
            candidate(2, 0.0, 1.0, 0.0),
            candidate(3, 0.0, 0.0, 1.0),
        ];
        let best = |words, similarity, value| {
            let shares = Shares {
                words,
                similarity,
                value,
            };
            let scores = score(&candidates, &[1.0], None, shares);
            let mut scored: Vec<(f64, u32)> = scores.into_iter().zip([1, 2, 3]).collect();
            scored.sort_by(|one, other| other.0.total_cmp(&one.0));
            scored.first().map(|(_, table)| *table)
        };
        assert_eq!(best(1.0, 0.5, 0.5), Some(1));
        assert_eq!(best(0.5, 1.0, 0.5), Some(2));
        assert_eq!(best(0.5, 0.5, 1.0), Some(3));
    }
}
