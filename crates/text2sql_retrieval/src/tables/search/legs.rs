//! The legs of a search that are not words: vectors, and values that the question mentions.

use std::collections::{HashMap, HashSet};

use super::inputs::Search;
use super::names::whole_names;
use crate::lexical::term_matches::Matches;
use crate::ranking::rank_fusion::{Leg, Ranked};
use crate::ranking::readable_tables::Admission;
use crate::values::{self, Phrases};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, NAME, ValueHit};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::understanding::Understanding;

/// Maximum number of tables that each leg finds for the re-ranker. In a catalog with hundreds of similarly named tables,
/// the right one is among these and not always among the first fifty. With twice as many, the same tables were within
/// the first 5, 10 and 20 for 1,900 practice questions over 795 tables (within 0.1 %).
pub(super) const LEG_DEPTH: usize = 150;

/// Maximum number of vectors, of tables and of columns, that the vector leg is given: where all are compared,
/// those of a few tables are often the nearest.
const NEAREST_VECTORS: usize = 300;

/// How much the similarity of a column counts, compared with that of the table: the best of fifty columns is near
/// any question by chance. In catalogs widened by columns of other tables, 0.8 wins half a point over 1 and over 0.
const OF_COLUMN: f64 = 0.8;

impl Search<'_> {
    /// The tables whose vectors are nearest to the question.
    pub(super) fn vector_leg(
        &self,
        embedder: &dyn Embedder,
        understanding: &Understanding,
        admission: &mut Admission<'_>,
    ) -> Result<Ranked, Error> {
        let vectors = embedder.embed(&[understanding.text()], Purpose::Question)?;
        let vector = vectors.first().map(Vec::as_slice).unwrap_or_default();
        let near = self
            .index
            .nearest(Collection::Schema, vector, NEAREST_VECTORS)?;
        let of_column = match embedder.knows_meaning() {
            true => OF_COLUMN,
            false => 1.0,
        };
        let mut best: HashMap<u32, f64> = HashMap::new();
        for unit in near {
            let share = if unit.unit == NAME { 1.0 } else { of_column };
            let similarity = share * f64::from(unit.similarity.max(0.0));
            let known = best.entry(unit.item).or_default();
            *known = known.max(similarity);
        }
        let mut items: Vec<(u32, f64)> = best.into_iter().collect();
        items.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let tables: Vec<u32> = items.iter().map(|(item, _)| *item).collect();
        admission.admit(&tables)?;
        items.retain(|(item, _)| admission.may_read(*item) && !self.overlay.replaces(*item));
        Ok(Ranked {
            leg: Leg::Vectors,
            weight: self.config.weights.vectors * embedder.weight(),
            items,
        })
    }

    /// The tables that hold values of the question.
    pub(super) fn value_leg(
        &self,
        understanding: &Understanding,
        hits: &[ValueHit],
        matches: &Matches,
        legs: &[Ranked],
        admission: &Admission<'_>,
    ) -> Ranked {
        let found: HashSet<u32> = legs
            .iter()
            .flat_map(|leg| leg.items.iter().map(|(table, _)| *table))
            .collect();
        let terms = understanding.terms(self.analyzer);
        let whole = |table: &u32| {
            let names = whole_names(matches, matches.item(*table), admission.visible(*table));
            let stems = |name: Vec<usize>| {
                name.iter()
                    .filter_map(|at| terms.get(*at).cloned())
                    .collect()
            };
            let keys = names.into_iter().map(|name| values::name_key(stems(name)));
            keys.collect::<Vec<String>>()
        };
        let names: HashSet<String> = found.iter().flat_map(whole).collect();
        let phrases = Phrases::recent(understanding, self.analyzer);
        Ranked {
            leg: Leg::Values,
            weight: self.config.weights.values,
            items: values::votes(&phrases, hits, &names, &found, self.analyzer),
        }
    }
}
