//! A table that retrieval found, and why.

use crate::ranking::rank_fusion::{Leg, LegRank};

/// A table that was found.
#[derive(Debug, Clone)]
pub struct FoundTable {
    /// OID.
    pub table: u32,
    /// The re-ranker's score.
    pub score: f64,
    /// Its rank in each leg.
    pub ranks: Vec<LegRank>,
    /// Why it is there.
    pub reasons: Vec<Reason>,
    /// Columns that share something with the question, best first, with their BM25.
    pub columns: Vec<(i16, f64)>,
}

impl FoundTable {
    /// Whether only its vector led to it: it need not share a word with the question.
    pub fn is_of_meaning_alone(&self) -> bool {
        self.ranks.iter().all(|rank| rank.leg == Leg::Vectors)
    }
}

/// Why a table is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Its name or a synonym occurs in the question.
    Named,
    /// It shares words with the question, or its meaning is close; see the ranks.
    Matched,
    /// A word of the question was read as another one, which is in its name or in that of a column.
    ReadAs {
        /// The word of the question.
        written: String,
        /// The word of the catalog.
        word: String,
    },
    /// It contains a value that the question mentions.
    Value,
    /// It connects another table of the result.
    Connects(u32),
    /// It is joined to one of the best tables.
    Joined(u32),
    /// A definition that the question uses applies to it.
    Defined(String),
}
