//! The re-ranker that needs no model: how much of the question a table explains, alone and together
//! with the tables around it.
//!
//! A term of the question weighs its idf. A table explains a term by its own name best, by a column's
//! name less, by what is said about it less again. Questions are about tables that belong together,
//! so a table also counts for what its neighbours explain: those joined to it, and those of its
//! schema. Of the many tables called `customer`, the one beside the `invoice` and the `track` that
//! the question also mentions is the one meant. The constants are round numbers that say an order;
//! they were not fitted to questions.

use std::collections::HashMap;

use crate::index::postings::Hit;
use crate::lexical::term_matches::{Match, Matches, Visible};
use text2sql_domain::ports::search_index::NAME;

/// How well a hit explains its term, by where it is. Names of several words share their place: each
/// further word takes off as said.
const IN_TABLE_NAME: f64 = 1.0;
const IN_COLUMN_NAME: f64 = 0.8;
const IN_TEXT: f64 = 0.6;
const IN_FOREIGN_KEY: f64 = 0.4;
const EACH_FURTHER_WORD: f64 = 0.2;

/// What the neighbourhood's share counts beside the table's own.
const NEIGHBOURHOOD: f64 = 1.0;

/// A neighbourhood of more tables than this explains any question by chance: it counts less in
/// proportion.
const USUAL_NEIGHBOURS: f64 = 40.0;

/// How well each term is explained, 0 to 1.
pub type Cover = Vec<f64>;

/// How well an item explains each term of the question.
pub fn cover(matches: &Matches, entries: &[Match], visible: Visible<'_>) -> Cover {
    let mut cover = vec![0.0f64; matches.terms()];
    for entry in entries {
        let hits = matches.hits(entry).iter();
        let best = hits
            .filter(|hit| visible.has(hit.unit))
            .map(strength)
            .fold(0.0, f64::max);
        if let Some(place) = cover.get_mut(entry.term) {
            *place = best;
        }
    }
    cover
}

fn strength(hit: &Hit) -> f64 {
    let further = f64::from(hit.name_length.saturating_sub(1));
    let shared = 1.0 / (1.0 + EACH_FURTHER_WORD * further);
    match hit.unit {
        NAME => IN_TABLE_NAME * shared,
        _ if hit.is_called() => IN_TABLE_NAME * shared,
        unit if unit < 0 && hit.is_part() => IN_FOREIGN_KEY,
        _ if hit.is_part() && hit.in_name => IN_COLUMN_NAME * shared,
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
    /// What it explains itself.
    pub cover: Cover,
    /// Similarity of its nearest unit to the question, 0 to 1; 0 without vectors.
    pub similarity: f64,
}

/// The tables around the candidates.
#[derive(Debug, Default)]
pub struct Neighbourhood {
    /// What each joined table explains, by table; candidates among them or not.
    pub covers: HashMap<u32, Cover>,
    /// Which tables are joined to which.
    pub joined: HashMap<u32, Vec<u32>>,
}

/// Scores candidates; the score of the n-th is the n-th of the result. `similarity_weight` says what
/// a similarity of 1 is worth, as a share of the whole question.
pub fn score(
    candidates: &[Candidate],
    weights: &[f64],
    neighbourhood: Option<&Neighbourhood>,
    similarity_weight: f64,
) -> Vec<f64> {
    let whole: f64 = weights.iter().sum();
    let schemas = neighbourhood.map(|_| schema_covers(candidates, weights.len()));
    candidates
        .iter()
        .map(|candidate| {
            let own = weigh(&candidate.cover, weights);
            let around = neighbourhood.map_or(0.0, |around| {
                let schema = schemas.as_ref().and_then(|all| all.get(&candidate.schema));
                around_score(candidate, weights, around, schema)
            });
            own + NEIGHBOURHOOD * around + similarity_weight * whole * candidate.similarity
        })
        .collect()
}

/// What the candidate and its neighbours explain together.
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
