//! The answer to a question.

use crate::named_enum;
use serde_json::json;

use crate::approval::Held;
use crate::citations::Citation;
use crate::score::Score;
use crate::sql_result::{DatabaseError, Execution};
use crate::trace::Trace;

/// What [`Answer::engine`] calls a verified example.
const VERIFIED_EXAMPLE: &str = "verified example";

named_enum! {
    /// How a question ended. [`Status::as_str`] is part of the interface.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Status {
        /// The query ran and returned rows.
        Ok = "ok",
        /// The question has several readings; one of them must be chosen.
        Ambiguous = "ambiguous",
        /// The data cannot answer it.
        Unanswerable = "unanswerable",
        /// The answer needs a table or column that the caller may not read.
        NotPermitted = "not_permitted",
        /// The guard refused the query.
        Blocked = "blocked",
        /// The query failed, and repair attempts did not help.
        Failed = "failed",
        /// The query waits until a person has approved it; it has not run.
        Waiting = "waiting",
    }
}

/// The answer to a question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// How it ended.
    pub status: Status,
    /// One sentence: the answer in words, or the reason why there is none.
    pub sentence: Option<String>,
    /// What to do about a status other than `ok`.
    pub hint: Option<String>,
    /// The query that ran, the last one that failed, or the one that waits.
    pub sql: Option<String>,
    /// The rows, when the status is `ok`.
    pub execution: Option<Execution>,
    /// Assumptions made and limits that were reached.
    pub warnings: Vec<String>,
    /// Tables and columns not used because the caller may not read them, and the GRANT that would change that.
    pub withheld: Vec<String>,
    /// How words of the question were mapped to the schema.
    pub links: Vec<String>,
    /// The readings of an ambiguous question, each a complete question; for one without an answer, questions near it
    /// that have one.
    pub readings: Vec<String>,
    /// The words of a question without an answer that were not understood.
    pub missing: Vec<String>,
    /// What introduces the readings, where the sentence does not: "you can ask:".
    pub introduction: Option<String>,
    /// The role that verified the example which supplied the answer, if one did.
    pub verified_by: Option<String>,
    /// What the query does, a line for each step: the model's own plan, or the steps of the query.
    pub plan: Option<String>,
    /// The answers to the questions that this one consists of, if each needs a result of its own. Then SQL and
    /// rows are in these, and the other fields are about all of them.
    pub parts: Vec<AnsweredPart>,
    /// The passages of texts that the sentence cites as `[1]`, `[2]`, in that order.
    pub citations: Vec<Citation>,
    /// The score of the query, if it was scored.
    pub score: Option<Box<Score>>,
    /// The probability that the answer is right; `None` if no confidence was fitted for this model.
    pub confidence: Option<f64>,
    /// The database error that made the question fail.
    pub error: Option<DatabaseError>,
    /// What is stored with a query that waits for approval.
    pub held: Option<Box<Held>>,
    /// What the run did.
    pub trace: Trace,
}

/// One of several questions that were asked as one.
#[derive(Debug, Clone)]
pub struct AnsweredPart {
    /// The question, complete in itself.
    pub question: String,
    /// Its answer.
    pub answer: Answer,
}

impl Answer {
    /// The answer whose SQL and rows stand for the whole where there is room for one result: of several parts
    /// the first with rows.
    pub fn main(&self) -> &Answer {
        let with_rows = self
            .parts
            .iter()
            .find(|part| part.answer.status == Status::Ok);
        with_rows.map_or(self, |part| &part.answer)
    }

    /// An answer without rows.
    pub fn without_rows(status: Status, sentence: impl Into<String>) -> Self {
        Self {
            status,
            sentence: Some(sentence.into()),
            hint: None,
            sql: None,
            execution: None,
            warnings: Vec::new(),
            withheld: Vec::new(),
            links: Vec::new(),
            readings: Vec::new(),
            missing: Vec::new(),
            introduction: None,
            verified_by: None,
            plan: None,
            parts: Vec::new(),
            citations: Vec::new(),
            score: None,
            confidence: None,
            error: None,
            held: None,
            trace: Trace::default(),
        }
    }

    /// What gave the answer: the name of an engine, or "verified example"; `None` if nothing did.
    pub fn engine(&self) -> Option<&str> {
        match self.verified_by {
            Some(_) => Some(VERIFIED_EXAMPLE),
            None => self.trace.engine.as_deref(),
        }
    }

    /// The clarification question and its readings as JSON text, of a question without an answer with the parts that were
    /// understood and the words that were not; of an answer, its meaning with its parts, and what may be
    /// asked next;
    /// `None` if there are none.
    pub fn clarification(&self) -> Option<String> {
        let question = self.introduction.as_ref().or(self.sentence.as_ref());
        let readings = &self.readings;
        if !self.missing.is_empty() {
            let (missing, understood) = (&self.missing, &self.links);
            return Some(
                json!({"question": question, "readings": readings, "understood": understood, "missing": missing})
                    .to_string(),
            );
        }
        if !readings.is_empty() {
            return Some(json!({"question": question, "readings": readings}).to_string());
        }
        let is_answer = self.status == Status::Ok && self.parts.is_empty();
        let meaning = self.trace.meaning.as_ref().filter(|_| is_answer)?;
        let (parts, next) = (&self.trace.meaning_parts, &self.trace.follow_ups);
        Some(json!({"meaning": meaning, "parts": parts, "follow_ups": next}).to_string())
    }
}
