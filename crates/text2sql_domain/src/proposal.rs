//! The reply of a model or of the built-in engine to a question, before it is checked.

use serde_json::Value;

use crate::empty_cause::EmptyCause;
use crate::score::Score;

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
    /// The question without its typing errors, where some were corrected: the sentence of the answer does not repeat them.
    pub corrected_question: Option<String>,
    /// Parts of the question that it does not answer, because the schema lacks the data.
    pub missing: Vec<String>,
    /// The model's plan for it, if it wrote one before it could read rows.
    pub plan: Option<String>,
    /// The score, once it was scored.
    pub score: Option<Box<Score>>,
    /// The note that says that rows may tie at the limit, which a look-up replaces.
    pub ties_note: Option<String>,
    /// Whether a check is certain that its figures are wrong.
    pub is_wrong: bool,
    /// Why it returned nothing, if it did and one part alone is the cause.
    pub empty_cause: Option<Box<EmptyCause>>,
    /// The role that verified the statement, if it is a verified example.
    pub verified_by: Option<String>,
    /// What the question means, where the statement was compiled from that: a follow-up changes it.
    pub meaning: Option<Box<Value>>,
}

/// What can be said to who asked a question without an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Offer {
    /// What was understood, as in the notes of an answer: "'Germany' is country.country".
    pub understood: Vec<String>,
    /// Questions that have an answer, each with its statement.
    pub questions: Vec<Suggestion>,
}

/// A question that has an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The question.
    pub question: String,
    /// The statement that answers it.
    pub sql: String,
}
