//! An evaluation as stored: returned by `text2sql_eval._evaluation_data` and read by external programs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An evaluation with its attempts.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EvaluationData {
    /// The evaluation.
    pub evaluation: EvaluationFacts,
    /// Its attempts, including waiting ones.
    pub results: Vec<AttemptRow>,
}

/// The data of an evaluation as a whole.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluationFacts {
    /// Its ID.
    pub evaluation_id: i64,
    /// Name of the suite.
    pub suite: String,
    /// The name given by its author.
    pub name: Option<String>,
    /// `running`, `done` or `stopped`.
    pub state: String,
    /// When it began.
    pub started_at: Option<String>,
    /// When it ended.
    pub finished_at: Option<String>,
    /// Number of attempts per case.
    pub repeats: i64,
    /// The simulated value of `now()`.
    pub clock: Option<String>,
    /// The settings requested.
    pub settings: Value,
    /// The effective configuration.
    pub configured: Value,
}

/// One attempt at one case.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AttemptRow {
    /// The database, if a report covers several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// Identifies the case.
    pub key: String,
    /// The number of the attempt, from 1.
    pub attempt: i64,
    /// `waiting`, `done` or `broken`.
    pub state: String,
    /// The question.
    pub question: String,
    /// Accepted statements.
    pub gold: Vec<String>,
    /// Whether the order of rows counts.
    pub ordered: Option<bool>,
    /// How results are compared, if not by default.
    pub comparison: Option<Value>,
    /// The expected status.
    pub expected_status: String,
    /// Its difficulty.
    pub level: Option<String>,
    /// Its wording style.
    pub style: Option<String>,
    /// Further tags to group by.
    pub tags: Vec<String>,
    /// Earlier questions.
    pub previous: Vec<String>,
    /// The actual status.
    pub status: Option<String>,
    /// `right`, `wrong`, `declined` or `failed`.
    pub verdict: Option<String>,
    /// The candidate's SQL.
    pub sql: Option<String>,
    /// The reason, if there is no answer.
    pub message: Option<String>,
    /// The reasons, if it is not correct.
    pub reasons: Option<Vec<String>>,
    /// Whether its SQL is one of PostgreSQL's grammar.
    pub valid_syntax: Option<bool>,
    /// Whether all names in it are found as well.
    pub valid_names: Option<bool>,
    /// VA: whether it ran as well.
    pub valid: Option<bool>,
    /// EX.
    pub ex: Option<bool>,
    /// Whether it is correct on perturbed copies.
    pub robust: Option<bool>,
    /// Whether it is correct on the data and on every perturbed copy that can tell; `None` without copies.
    pub test_suite: Option<bool>,
    /// EA share.
    pub ea_share: Option<f64>,
    /// The components of EM.
    pub em: Option<Components>,
    /// EM share.
    pub em_share: Option<f64>,
    /// Cosine of gold and candidate.
    pub similarity: Option<f64>,
    /// Share of the gold's result columns that the candidate has.
    pub columns_identified: Option<f64>,
    /// Context precision and recall of tables.
    pub context_tables: Option<Shares>,
    /// Context precision and recall of columns.
    pub context_columns: Option<Shares>,
    /// Similarity of the answer to the question, by words.
    pub lexical_relevancy: Option<f64>,
    /// Share of the sentence's claims supported by the rows, by words.
    pub lexical_faithfulness: Option<f64>,
    /// Which kind of question it is: `quantitative`, `qualitative` or `hybrid`.
    pub expected_kind: Option<String>,
    /// Which kind the router took it for.
    pub kind: Option<String>,
    /// Context precision of the passages that were found.
    pub context_precision: Option<f64>,
    /// Context recall of the passages that were found.
    pub context_recall: Option<f64>,
    /// Share of the sentences about texts that their passages support, by words.
    pub lexical_text_faithfulness: Option<f64>,
    /// Cosine of the vectors of question and answer.
    pub text_relevancy: Option<f64>,
    /// Faithfulness as a model judges it.
    pub faithfulness: Option<f64>,
    /// Answer relevancy as a model judges it.
    pub answer_relevancy: Option<f64>,
    /// How well the rows answer the question, as a model judges it.
    pub relevance: Option<f64>,
    /// Cosine of the vectors of question and sentence.
    pub sentence_relevancy: Option<f64>,
    /// Cosine of the vectors of gold and candidate.
    pub vector_similarity: Option<f64>,
    /// How often a query went back to the model.
    pub repairs: Option<i64>,
    /// The answer's confidence.
    pub confidence: Option<f64>,
    /// Fingerprint of the rows.
    pub fingerprint: Option<String>,
    /// Number of rows of the candidate.
    pub row_count: Option<i64>,
    /// Number of rows of the gold.
    pub gold_row_count: Option<i64>,
    /// Number of completions requested.
    pub model_calls: Option<i64>,
    /// Input tokens.
    pub input_tokens: Option<i64>,
    /// Output tokens.
    pub output_tokens: Option<i64>,
    /// What they cost.
    pub cost: Option<f64>,
    /// The currency of the cost.
    pub currency: Option<String>,
    /// Milliseconds by stage.
    pub stages: Option<BTreeMap<String, f64>>,
    /// Milliseconds in total, including the gold.
    pub milliseconds: Option<f64>,
    /// A model's opinion on the error.
    pub opinion: Option<String>,
}

/// The EM components.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Components {
    /// Share of the gold's tables.
    pub tables: Option<f64>,
    /// Share of the gold's columns.
    pub columns: Option<f64>,
    /// Share of the gold's operations.
    pub operations: Option<f64>,
    /// Share of the gold's dates.
    pub dates: Option<f64>,
    /// Share of the gold's sort directions.
    pub sort: Option<f64>,
    /// Whether the limit equals the gold's.
    pub limit: Option<f64>,
    /// Whether all six components are equal.
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

    /// Whether the router took the question for its kind; `None` where the case does not say.
    pub fn is_of_its_kind(&self) -> Option<bool> {
        let expected = self.expected_kind.as_ref()?;
        self.kind.as_ref().map(|kind| kind == expected)
    }

    /// Identifies the case across databases.
    pub fn full_key(&self) -> (String, String) {
        (self.database.clone().unwrap_or_default(), self.key.clone())
    }
}
