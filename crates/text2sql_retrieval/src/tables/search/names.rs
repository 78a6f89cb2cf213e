//! Tables and columns whose whole name is in the question.

use std::collections::{HashMap, HashSet};

use super::inputs::Search;
use crate::index::postings::is_called;
use crate::lexical::term_matches::{Match, Matches, Visible};

/// A name that more tables than this share pins none of them.
const MAX_PINNED: usize = 8;

impl Search<'_> {
    /// Tables whose whole name or a synonym occurs in the question; none for a name that many tables
    /// share.
    pub(super) fn named(&self, matches: &Matches, ranked: &[(u32, f64)]) -> HashSet<u32> {
        let mut named: HashMap<Vec<usize>, Vec<u32>> = HashMap::new();
        if !self.config.names {
            return HashSet::new();
        }
        for (table, _) in ranked {
            if let Some(terms) = name_in_question(matches, matches.item(*table)) {
                named.entry(terms).or_default().push(*table);
            }
        }
        named
            .into_values()
            .filter(|tables| tables.len() <= MAX_PINNED)
            .flatten()
            .collect()
    }
}

/// The words of the question that are the item's whole name or a whole synonym.
fn name_in_question(matches: &Matches, entries: &[Match]) -> Option<Vec<usize>> {
    units_in_question(matches, entries, &is_called)
        .into_iter()
        .next()
}

/// The words of each whole name in the question, of the item or of a column that may be seen.
pub(super) fn whole_names(
    matches: &Matches,
    entries: &[Match],
    visible: Visible<'_>,
) -> Vec<Vec<usize>> {
    units_in_question(matches, entries, &|unit| visible.has(unit))
}

/// The words of the question that are the whole name of a unit. Near words are not the question's.
fn units_in_question(
    matches: &Matches,
    entries: &[Match],
    is_wanted: &dyn Fn(i16) -> bool,
) -> Vec<Vec<usize>> {
    let mut units: HashMap<i16, (u32, Vec<usize>)> = HashMap::new();
    for entry in entries.iter().filter(|entry| matches.is_own(entry.term)) {
        for hit in matches.hits(entry) {
            if is_wanted(hit.unit) && hit.in_name {
                let unit = units.entry(hit.unit).or_default();
                unit.0 = hit.name_length;
                unit.1.push(matches.place(entry.term).0);
            }
        }
    }
    let whole = units
        .into_values()
        .filter(|(length, terms)| terms.len() >= *length as usize);
    whole.map(|(_, terms)| terms).collect()
}

/// The first `limit` tables by rank, named ones among them wherever they rank.
pub(super) fn pinned_first(ranked: &[(u32, f64)], named: &HashSet<u32>, limit: usize) -> Vec<u32> {
    let pinned = ranked.iter().filter(|(table, _)| named.contains(table));
    let pinned = pinned.take(limit).count();
    let mut free = limit - pinned;
    ranked
        .iter()
        .map(|(table, _)| *table)
        .filter(|table| {
            let stays = named.contains(table) || free > 0;
            if !named.contains(table) {
                free = free.saturating_sub(1);
            }
            stays
        })
        .take(limit)
        .collect()
}
