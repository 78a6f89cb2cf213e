//! What a run did and how long it took: for the history, the benchmark and the curious.

use std::sync::Arc;

use crate::schema::Table;

/// The record of one question's way through the stages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The tables that the SQL was written from, best first.
    pub context: Vec<Arc<Table>>,
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
}

/// One stage's share.
#[derive(Debug, Clone, PartialEq)]
pub struct StageTrace {
    /// The stage's name: its file and its verb.
    pub stage: &'static str,
    /// Wall-clock milliseconds.
    pub milliseconds: f64,
}
