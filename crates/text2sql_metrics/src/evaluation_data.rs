//! An evaluation as it is stored: what `text2sql_eval._evaluation_data` returns and programs outside the server read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An evaluation with its attempts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EvaluationData {
    /// The evaluation.
    pub evaluation: EvaluationFacts,
    /// Its attempts, waiting ones too.
    pub results: Vec<AttemptRow>,
}

/// What is known about an evaluation as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationFacts {
    /// Its number.
    pub evaluation_id: i64,
    /// The suite.
    pub suite: String,
    /// What its author calls it.
    pub name: Option<String>,
    /// `running`, `done` or `stopped`.
    pub state: String,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// Attempts at each case.
    pub repeats: i64,
    /// The moment that `now()` meant.
    pub clock: Option<String>,
    /// The settings asked for.
    pub settings: Value,
    /// Everything that was in force.
    pub configured: Value,
}

/// One attempt at one case.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttemptRow {
    /// The database, where a report is about several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Names the case.
    pub key: String,
    /// 1 for the first.
    pub attempt: i64,
    /// `waiting`, `done` or `broken`.
    pub state: String,
    /// The question.
    pub question: String,
    /// Accepted statements.
    pub gold: Vec<String>,
    /// Whether the order of rows counts.
    pub ordered: Option<bool>,
    /// How results are compared, where not by default.
    pub comparison: Option<Value>,
    /// The expected status.
    pub expected_status: String,
    /// How hard it is.
    pub level: Option<String>,
    /// How it is worded.
    pub style: Option<String>,
    /// Further words to group by.
    pub tags: Vec<String>,
    /// Earlier questions.
    pub previous: Vec<String>,
    /// The status that came.
    pub status: Option<String>,
    /// `right`, `wrong`, `declined` or `failed`.
    pub verdict: Option<String>,
    /// The candidate.
    pub sql: Option<String>,
    /// Why there is no answer.
    pub message: Option<String>,
    /// Why it is not correct.
    pub reasons: Option<Vec<String>>,
    /// VA.
    pub valid: Option<bool>,
    /// EX.
    pub ex: Option<bool>,
    /// Whether it is correct on perturbed copies.
    pub robust: Option<bool>,
    /// EA share.
    pub ea_share: Option<f64>,
    /// The components of EM.
    pub em: Option<Components>,
    /// EM share.
    pub em_share: Option<f64>,
    /// Cosine of gold and candidate.
    pub similarity: Option<f64>,
    /// Share of the gold's result columns.
    pub columns_identified: Option<f64>,
    /// Tables of the context.
    pub context_tables: Option<Shares>,
    /// Columns of the context.
    pub context_columns: Option<Shares>,
    /// How near the answer is to the question.
    pub answer_relevancy: Option<f64>,
    /// Share of the sentence's claims that the rows support.
    pub faithfulness: Option<f64>,
    /// The answer's confidence.
    pub confidence: Option<f64>,
    /// Fingerprint of the rows.
    pub fingerprint: Option<String>,
    /// Rows of the candidate.
    pub row_count: Option<i64>,
    /// Rows of the gold.
    pub gold_row_count: Option<i64>,
    /// Completions asked for.
    pub model_calls: Option<i64>,
    /// Tokens read.
    pub input_tokens: Option<i64>,
    /// Tokens written.
    pub output_tokens: Option<i64>,
    /// Milliseconds by stage.
    pub stages: Option<BTreeMap<String, f64>>,
    /// Milliseconds of everything, the gold's included.
    pub milliseconds: Option<f64>,
    /// What a model thinks went wrong.
    pub opinion: Option<String>,
}

/// Whether all six components are equal.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Components {
    /// All six.
    #[serde(default)]
    pub is_equal: bool,
}

/// Precision and recall.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Shares {
    /// Share of the context that the gold reads.
    pub precision: Option<f64>,
    /// Share of what the gold reads that is in the context.
    pub recall: Option<f64>,
}

impl AttemptRow {
    /// Whether it was correct.
    pub fn is_right(&self) -> bool {
        self.verdict.as_deref() == Some("right")
    }

    /// Names the case over several databases.
    pub fn full_key(&self) -> (String, String) {
        (self.database.clone().unwrap_or_default(), self.key.clone())
    }
}
