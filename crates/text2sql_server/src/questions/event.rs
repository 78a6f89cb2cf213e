//! What happens while a question runs.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::problem::Problem;

/// A question as it is asked.
#[derive(Debug, Clone, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question in plain language.
    #[schema(min_length = 1, max_length = 4000)]
    pub question: String,
    /// The conversation that it continues.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Options of `text2sql.ask`, a JSON object.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub options: Option<Box<RawValue>>,
}

/// What happens while a question runs. The last event is an answer or a failure, and there is one of them.
#[derive(Debug, Clone)]
pub enum Event {
    /// A stage begins.
    Step(Box<Step>),
    /// The row of `text2sql.ask`, as PostgreSQL wrote it.
    Answer(Box<RawValue>),
    /// There is no row.
    Failed(Problem),
}

/// A stage that begins: the DETAIL of a NOTICE with SQLSTATE `T2S01`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = StepOfRunningQuestion)]
pub struct Step {
    /// The stage, such as `retrieve`.
    pub stage: String,
    /// Milliseconds since the question began.
    pub ms: f64,
    /// The question in the history.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// The query as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sql: Option<String>,
    /// What the query does; an event of its own.
    #[serde(default, skip_serializing)]
    #[schema(ignore)]
    pub plan: Option<Vec<String>>,
    /// The first rows of the query; an event of their own.
    #[serde(default, skip_serializing)]
    #[schema(ignore)]
    pub first_rows: Option<Box<RawValue>>,
    /// How many rows the query returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Why the query is repaired: the category of the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// How well the query fits the question, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// The place in the queue while the stage is `wait`: others of the same role are running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
}

impl Step {
    /// The question has waited for so long, and has this place in the queue.
    pub(super) fn waiting(waited: Duration, position: usize) -> Self {
        Self {
            stage: "wait".to_owned(),
            ms: milliseconds(waited),
            position: Some(position),
            trace_id: None,
            sql: None,
            plan: None,
            first_rows: None,
            rows: None,
            repair: None,
            score: None,
        }
    }

    /// The same, in a question that has waited for its turn before.
    pub(super) fn after(self, waited: Duration) -> Self {
        Self {
            ms: self.ms + milliseconds(waited),
            ..self
        }
    }
}

/// Microseconds are as exact as the extension says them.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
