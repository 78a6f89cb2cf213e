//! What a person gets for a question.

use crate::score::Score;
use crate::sql_result::{DatabaseError, Execution};
use crate::trace::Trace;

/// How a question ended. [`Status::as_str`] is part of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Rows, and the query that gave them.
    Ok,
    /// Several readings; ask one of them.
    Ambiguous,
    /// The data cannot answer it.
    Unanswerable,
    /// It needs what the caller may not read.
    NotPermitted,
    /// The guard refused the query.
    Blocked,
    /// The query failed, and no repair helped.
    Failed,
}

impl Status {
    /// The word that programs match on.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Ambiguous => "ambiguous",
            Self::Unanswerable => "unanswerable",
            Self::NotPermitted => "not_permitted",
            Self::Blocked => "blocked",
            Self::Failed => "failed",
        }
    }
}

/// The answer to a question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// How it ended.
    pub status: Status,
    /// One sentence: the answer in words, or why there is none.
    pub sentence: Option<String>,
    /// What to do about a status other than `ok`.
    pub hint: Option<String>,
    /// The query that ran, or the last one that could not.
    pub sql: Option<String>,
    /// The rows, when the status is `ok`.
    pub execution: Option<Execution>,
    /// What the reader should know: assumptions, caps that bit.
    pub warnings: Vec<String>,
    /// What was left out because the caller may not read it, and what would change that.
    pub withheld: Vec<String>,
    /// What words of the question were taken for.
    pub links: Vec<String>,
    /// The readings of an ambiguous question, each ready to be asked.
    pub readings: Vec<String>,
    /// Who verified the example that answered, where one did.
    pub verified_by: Option<String>,
    /// How good the query is, where it was judged.
    pub score: Option<Box<Score>>,
    /// How likely the answer is right; `None` while nobody has measured it for this model.
    pub confidence: Option<f64>,
    /// The database's error behind a failed question.
    pub error: Option<DatabaseError>,
    /// What the run did.
    pub trace: Trace,
}

impl Answer {
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
            verified_by: None,
            score: None,
            confidence: None,
            error: None,
            trace: Trace::default(),
        }
    }

    /// The question back and its readings as a JSON text; `None` where there are none.
    pub fn clarification(&self) -> Option<String> {
        (!self.readings.is_empty()).then(|| {
            serde_json::json!({"question": self.sentence, "readings": self.readings}).to_string()
        })
    }
}
