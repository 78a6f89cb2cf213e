//! Reciprocal rank fusion of several legs.

use std::collections::HashMap;
use text2sql_domain::named_enum;

/// Reduces the weight of the first ranks: the value of the paper that proposed the method (Cormack, Clarke
/// and Büttcher 2009).
const K: f64 = 60.0;

named_enum! {
    /// One way of finding tables.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Leg {
        /// BM25 over columns and foreign keys.
        Columns = "columns",
        /// BM25 over whole tables.
        Tables = "tables",
        /// Vectors.
        Vectors = "vectors",
        /// Values that the question mentions.
        Values = "values",
        /// A model that re-ranks, where one is configured.
        Reranker = "reranker",
    }
}

/// What a leg found, best first.
#[derive(Debug, Clone)]
pub struct Ranked {
    /// Which leg.
    pub leg: Leg,
    /// The weight of its ranks.
    pub weight: f64,
    /// Items with their scores.
    pub items: Vec<(u32, f64)>,
}

/// Place and score of an item in a leg.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LegRank {
    /// Which leg.
    pub leg: Leg,
    /// 1 for the best.
    pub rank: usize,
    /// The leg's own score.
    pub score: f64,
}

/// An item with its places.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// The item.
    pub item: u32,
    /// Sum of weighted reciprocal ranks.
    pub score: f64,
    /// Its rank in each leg.
    pub ranks: Vec<LegRank>,
}

/// Fuses legs, best first; equal scores are ordered by item number, so that the order is stable.
pub fn fuse(legs: &[Ranked]) -> Vec<Fused> {
    let mut places: HashMap<u32, usize> = HashMap::new();
    let mut fused: Vec<Fused> = Vec::new();
    for leg in legs {
        for (at, &(item, score)) in leg.items.iter().enumerate() {
            let place = *places.entry(item).or_insert(fused.len());
            if place == fused.len() {
                fused.push(Fused {
                    item,
                    score: 0.0,
                    ranks: Vec::new(),
                });
            }
            let rank = at + 1;
            if let Some(entry) = fused.get_mut(place) {
                entry.score += leg.weight / (K + rank as f64);
                entry.ranks.push(LegRank {
                    leg: leg.leg,
                    rank,
                    score,
                });
            }
        }
    }
    fused.sort_by(|one, other| {
        other
            .score
            .total_cmp(&one.score)
            .then(one.item.cmp(&other.item))
    });
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_and_scores_do_not() {
        let leg = |leg, weight, items: &[u32]| Ranked {
            leg,
            weight,
            items: items.iter().map(|item| (*item, 99.0)).collect(),
        };
        let fused = fuse(&[
            leg(Leg::Columns, 1.0, &[7, 8, 9]),
            leg(Leg::Vectors, 0.5, &[8, 5]),
        ]);
        let items: Vec<_> = fused.iter().map(|entry| entry.item).collect();
        assert_eq!(items, [8, 7, 9, 5]);
        assert!((fused[0].score - (1.0 / 62.0 + 0.5 / 61.0)).abs() < 1e-12);
        let ranks: Vec<_> = fused[0].ranks.iter().map(|r| (r.leg, r.rank)).collect();
        assert_eq!(ranks, [(Leg::Columns, 2), (Leg::Vectors, 1)]);
    }
}
