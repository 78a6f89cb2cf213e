//! What a model or the built-in engine proposes for a question, before anyone judged it.

use crate::score::Score;
use crate::sentence_checks::{Emptiness, Ranking};

/// The reply to a question, read and tidied, whoever gave it.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// A statement that should answer the question.
    Sql(SqlProposal),
    /// The question has several readings.
    Ambiguous {
        /// One short question back.
        question: String,
        /// Two to four readings, each a question that can be asked as it is.
        readings: Vec<String>,
    },
    /// The data cannot answer it.
    Unanswerable {
        /// Why, in one sentence.
        reason: String,
        /// Words or things that are missing.
        missing: Vec<String>,
        /// Names that exist and come nearest.
        nearest: Vec<String>,
    },
}

/// A statement with what was said about it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SqlProposal {
    /// One SELECT, without fence and without trailing semicolon.
    pub sql: String,
    /// A sentence with placeholders (`{row_count}`, `{rows[0].name}`), in the question's language.
    pub sentence: Option<String>,
    /// Assumptions that the reader should know.
    pub notes: Vec<String>,
    /// What words of the question were taken for, such as "'Germany' is country.name".
    pub links: Vec<String>,
    /// What of the question it does not answer, because the schema lacks it.
    pub missing: Vec<String>,
    /// How good it is, once it was judged.
    pub score: Option<Box<Score>>,
    /// How to find out whether its first rows lead alone.
    pub ranking: Option<Box<Ranking>>,
    /// What to look up where it gives nothing.
    pub emptiness: Option<Box<Emptiness>>,
    /// The sentence where it was made of what was looked up: nothing of it is a guess.
    pub told: Option<String>,
    /// Who verified the example that this is, where nobody had to write it.
    pub verified_by: Option<String>,
}
