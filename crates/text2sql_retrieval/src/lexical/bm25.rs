//! BM25 over tables and over their columns, exact, from the postings of a question.
//!
//! The variant is Robertson's with the idf of Lucene, which is never negative:
//! `ln(1 + (N - n + 0.5) / (n + 0.5)) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))`
//! with k1 = 1.2 and b = 0.75. (Lucene itself omits the constant factor `k1 + 1`, which does not
//! change the order.)

use crate::index::postings::Hit;
use crate::lexical::term_matches::{Match, Matches, Visible};
use text2sql_domain::ports::search_index::Totals;

/// Saturation of the term frequency.
const K1: f64 = 1.2;
/// Normalisation by the length of the document.
const B: f64 = 0.75;

/// The weight of a term that occurs in `holding` of `documents` documents.
pub fn idf(documents: u64, holding: u64) -> f64 {
    let (documents, holding) = (documents as f64, (holding as f64).min(documents as f64));
    (1.0 + (documents - holding + 0.5) / (holding + 0.5)).ln()
}

/// The share of a term's weight for a document in which it occurs `count` times.
pub fn saturation(count: f64, length: f64, average: f64) -> f64 {
    let average = if average > 0.0 { average } else { 1.0 };
    count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / average))
}

/// Scores items as whole documents.
#[derive(Debug)]
pub struct ItemScorer {
    /// One weight for each term.
    term_weights: Vec<f64>,
    /// One weight for each word.
    weights: Vec<f64>,
    average: f64,
}

impl ItemScorer {
    /// For the matches of a question in a collection with these totals.
    pub fn new(matches: &Matches, totals: &Totals) -> Self {
        let weight = |term| idf(totals.items, matches.item_count(term));
        let term_weights: Vec<f64> = (0..matches.terms()).map(weight).collect();
        Self {
            weights: word_weights(matches, &term_weights, idf(totals.items, 0)),
            term_weights,
            average: average(totals.item_terms, totals.items),
        }
    }

    /// The weight of each word: that of its own term, or else of the rarest near word. A word that the catalog
    /// does not know in any way weighs as much as the rarest.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The weight of a term as a share of that of its word, reduced by how much it counts for it.
    pub fn share(&self, matches: &Matches, term: usize) -> f64 {
        let (word, factor) = matches.place(term);
        let of = |weights: &[f64], at: usize| weights.get(at).copied().unwrap_or(0.0);
        let word = of(&self.weights, word);
        match word > 0.0 {
            true => factor * (of(&self.term_weights, term) / word).min(1.0),
            false => 0.0,
        }
    }

    /// The score of an item.
    pub fn score(&self, matches: &Matches, entries: &[Match], visible: Visible<'_>) -> f64 {
        let of_term = |entry: &Match| {
            let hits = matches
                .hits(entry)
                .iter()
                .filter(|hit| visible.has(hit.unit));
            let count: f64 = hits.map(Hit::weighted_count).sum();
            let weight = self.term_weights.get(entry.term).copied().unwrap_or(0.0);
            weight * saturation(count, f64::from(entry.posting.length), self.average)
        };
        matches.sum_of_best(entries, of_term)
    }
}

/// Scores the parts of items, which are the columns and foreign keys of tables: the document of a
/// part is its own words and those of its table's name.
#[derive(Debug)]
pub struct PartScorer {
    weights: Vec<f64>,
    average: f64,
}

/// A part's score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartScore {
    /// The unit; `None` for all units that share only the table's name with the question.
    pub unit: Option<i16>,
    /// BM25.
    pub score: f64,
}

impl PartScorer {
    /// For the matches of a question in a collection with these totals.
    pub fn new(matches: &Matches, totals: &Totals) -> Self {
        let weight = |term| idf(totals.units, matches.part_count(term));
        Self {
            weights: (0..matches.terms()).map(weight).collect(),
            average: average(totals.unit_terms, totals.units),
        }
    }

    /// The scores of an item's parts, best first: one for each part with a term of its own, and
    /// one for all others.
    pub fn scores(
        &self,
        matches: &Matches,
        entries: &[Match],
        visible: Visible<'_>,
    ) -> Vec<PartScore> {
        let Some(posting) = entries.first().map(|entry| entry.posting) else {
            return Vec::new();
        };
        let mut parts: Vec<(Option<i16>, u32)> = vec![(None, posting.shortest_part)];
        for hit in entries.iter().flat_map(|entry| matches.hits(entry)) {
            if hit.is_part()
                && visible.has(hit.unit)
                && !parts.iter().any(|(unit, _)| *unit == Some(hit.unit))
            {
                parts.push((Some(hit.unit), hit.length));
            }
        }
        let score = |unit: Option<i16>, length: u32| -> f64 {
            let length = f64::from(length + posting.name_length);
            let of_term = |entry: &Match| {
                let is_counted = |hit: &&Hit| hit.is_called() || Some(hit.unit) == unit;
                let hits = matches.hits(entry).iter().filter(is_counted);
                let count: f64 = hits.map(Hit::weighted_count).sum();
                let weight = self.weights.get(entry.term).copied().unwrap_or(0.0);
                weight * saturation(count, length, self.average)
            };
            matches.sum_of_best(entries, of_term)
        };
        let mut scores: Vec<_> = parts
            .into_iter()
            .map(|(unit, length)| PartScore {
                unit,
                score: score(unit, length),
            })
            .collect();
        scores.sort_by(|one, other| other.score.total_cmp(&one.score));
        scores
    }
}

/// The weight of each word from those of its terms; `unknown` for a word that nothing contains.
fn word_weights(matches: &Matches, term_weights: &[f64], unknown: f64) -> Vec<f64> {
    // Whether it is of the word's own term, and the weight.
    let mut words: Vec<Option<(bool, f64)>> = vec![None; matches.positions()];
    for (term, weight) in term_weights.iter().enumerate() {
        if matches.item_count(term) == 0 {
            continue;
        }
        if let Some(known) = words.get_mut(matches.place(term).0) {
            let found = (matches.is_own(term), *weight);
            *known = Some(known.map_or(found, |known| match known.0 == found.0 {
                true => (known.0, known.1.max(found.1)),
                false if found.0 => found,
                false => known,
            }));
        }
    }
    let weight = |known: Option<(bool, f64)>| known.map_or(unknown, |(_, weight)| weight);
    words.into_iter().map(weight).collect()
}

fn average(sum: u64, count: u64) -> f64 {
    if count == 0 {
        0.0
    } else {
        sum as f64 / count as f64
    }
}
