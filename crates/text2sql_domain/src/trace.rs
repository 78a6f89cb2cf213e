//! What a run did and how long it took: for the history and the benchmark.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::config::Egress;
use crate::engines::GaveUp;
use crate::exchange::Exchange;
use crate::instruction::ChosenInstructions;
use crate::passages::Passage;
use crate::prices::Cost;
use crate::progress::News;
use crate::proposal::Offer;
use crate::schema::Table;

/// The record of one question's run through the stages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    /// The tables used to write the SQL, best first.
    pub context: Vec<Arc<Table>>,
    /// The passages of texts that were found for the answer, best first. Kept in memory only.
    pub passages: Vec<Passage>,
    /// The standalone form of a follow-up question, if it was rewritten.
    pub standalone: Option<String>,
    /// What the question means, where the built-in engine answered it.
    pub meaning: Option<Value>,
    /// What may be asked next about that answer: each is a change of the meaning that has a statement.
    pub follow_ups: Vec<String>,
    /// The parts of that meaning, with what each may be changed to.
    pub meaning_parts: Vec<Value>,
    /// Each stage in the order it ran; with a repair, some stages appear twice.
    pub stages: Vec<StageTrace>,
    /// Number of completions requested.
    pub model_calls: u32,
    /// Number of HTTP requests for them, including retries.
    pub requests: u32,
    /// Input tokens, as counted by the endpoint.
    pub input_tokens: u64,
    /// Output tokens, as counted by the endpoint.
    pub output_tokens: u64,
    /// Length of the first prompt in characters.
    pub prompt_chars: usize,
    /// The owner's instructions in the prompt.
    pub instructions: ChosenInstructions,
    /// Endpoints that refused structured output, so that later questions skip it.
    pub structured_refused: Vec<String>,
    /// Endpoints that refused `max_tokens`, for the same reason.
    pub max_tokens_refused: Vec<String>,
    /// The endpoint's failure, if it ended the question or a part of it.
    pub endpoint_failure: Option<String>,
    /// The names of the configured engines, in order.
    pub engines: Vec<String>,
    /// The engine that the answer is from; `None` where no engine was asked, or none gave an answer.
    pub engine: Option<String>,
    /// What that engine may see.
    pub engine_egress: Option<Egress>,
    /// The engines that did not answer, in order.
    pub gave_up: Vec<GaveUp>,
    /// What the built-in engine offers for a question that it declined.
    pub offer: Option<Offer>,
    /// The requests sent to endpoints, in order.
    pub exchanges: Vec<Exchange>,
    /// What the next report of progress says; empty where none is wanted.
    pub news: News,
}

impl Trace {
    /// The engines that should have answered before the one that did.
    pub fn engines_that_failed(&self) -> impl Iterator<Item = &GaveUp> {
        let engine = self.engine.as_deref();
        let others = self.gave_up.iter();
        others.filter(move |other| Some(other.engine.as_str()) != engine && other.matters())
    }
}

impl Trace {
    /// What the requests cost, in each currency.
    pub fn costs(&self) -> Vec<Cost> {
        Cost::sums(
            self.exchanges
                .iter()
                .filter_map(|exchange| exchange.cost.as_ref()),
        )
    }
}

/// The record of one stage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StageTrace {
    /// The stage's name.
    pub stage: &'static str,
    /// Wall-clock milliseconds.
    pub milliseconds: f64,
    /// The input; never a row value.
    pub input: Value,
    /// The output; never a row value.
    pub output: Value,
}
