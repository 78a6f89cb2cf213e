//! What a run did and how long it took: for the history, the benchmark and the curious.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::schema::Table;

/// The record of one question's way through the stages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The tables that the SQL was written from, best first.
    pub context: Vec<Arc<Table>>,
    /// The whole question that the one asked became, where it became another.
    pub standalone: Option<String>,
    /// Each stage in the order it ran; a repaired question has some of them twice.
    pub stages: Vec<StageTrace>,
    /// Completions asked for.
    pub model_calls: u32,
    /// HTTP requests made for them, retries included.
    pub requests: u32,
    /// Tokens read by the model, as the endpoint counts them.
    pub input_tokens: u64,
    /// Tokens written by the model, as the endpoint counts them.
    pub output_tokens: u64,
    /// Characters of the first prompt.
    pub prompt_chars: usize,
    /// Whether the endpoint refused structured output, so that the next question need not ask.
    pub structured_refused: bool,
    /// Whether the endpoint refused `max_tokens`, for the same reason.
    pub max_tokens_refused: bool,
    /// What the endpoint did, where it ended the question.
    pub endpoint_failure: Option<String>,
    /// What was sent to endpoints, in order.
    pub exchanges: Vec<Exchange>,
}

/// One request to a model and its reply. Kept in memory only, unless the administrator wants
/// prompts in the history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Exchange {
    /// What it was for: the stage's name.
    pub purpose: &'static str,
    /// Name of the foreign server.
    pub endpoint: String,
    /// All text that was sent.
    pub prompt: String,
    /// The text that came back.
    pub reply: String,
    /// What of the database was in it.
    pub disclosed: Disclosed,
    /// Tokens read by the model, as the endpoint counts them.
    pub input_tokens: u64,
    /// Tokens written by the model, as the endpoint counts them.
    pub output_tokens: u64,
    /// Wall-clock milliseconds.
    pub milliseconds: f64,
}

/// What of the database a prompt holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disclosed {
    /// Tables named, as SQL writes them.
    pub tables: Vec<String>,
    /// Columns of which values are shown, as `table.column`.
    pub value_columns: Vec<String>,
    /// Result rows shown.
    pub result_rows: usize,
}

/// One stage's share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTrace {
    /// The stage's name: its file and its verb.
    pub stage: &'static str,
    /// Wall-clock milliseconds.
    pub milliseconds: f64,
    /// What went in; never a row value.
    pub input: Value,
    /// What came out; never a row value.
    pub output: Value,
}
