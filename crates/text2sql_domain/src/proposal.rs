//! The reply of a model or of the built-in engine to a question, before it is checked.

use crate::score::Score;
use crate::sentence_checks::{Emptiness, EmptyCause, Ranking};

/// The parsed reply to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Proposal {
    /// A statement that should answer the question.
    Sql(SqlProposal),
    /// The question has several readings.
    Ambiguous {
        /// A short clarification question.
        question: String,
        /// Two to four readings, each a complete question.
        readings: Vec<String>,
    },
    /// The data cannot answer the question.
    Unanswerable {
        /// Why, in one sentence.
        reason: String,
        /// The words or things that are missing.
        missing: Vec<String>,
        /// The most similar names that exist.
        nearest: Vec<String>,
    },
}

/// A statement with its explanation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SqlProposal {
    /// One SELECT, without code fence and trailing semicolon.
    pub sql: String,
    /// A sentence with placeholders (`{row_count}`, `{rows[0].name}`), in the question's language.
    pub sentence: Option<String>,
    /// Assumptions made.
    pub notes: Vec<String>,
    /// How words of the question were mapped to the schema, such as "'Germany' is country.name".
    pub links: Vec<String>,
    /// Parts of the question that it does not answer, because the schema lacks the data.
    pub missing: Vec<String>,
    /// The score, once it was scored.
    pub score: Option<Box<Score>>,
    /// How to check whether rows beyond the limit tie with those shown.
    pub ranking: Option<Box<Ranking>>,
    /// What to look up if it returns no rows.
    pub emptiness: Option<Box<Emptiness>>,
    /// Whether a check is certain that its figures are wrong.
    pub is_wrong: bool,
    /// Why it returned nothing, if it did and one part alone is the cause.
    pub empty_cause: Option<Box<EmptyCause>>,
    /// The sentence, if it was built from looked-up facts alone.
    pub told: Option<String>,
    /// Who verified the example, if the statement is a verified example.
    pub verified_by: Option<String>,
}
