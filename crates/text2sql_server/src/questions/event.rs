//! What happens while a question runs.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::problem::Problem;

/// A question as it is asked.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question in plain language.
    pub question: String,
    /// The conversation that it continues.
    #[serde(default)]
    pub conversation: Option<String>,
    /// Options of `text2sql.ask`, a JSON object.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    pub options: Option<Box<RawValue>>,
}

impl Question {
    /// As parameters of a statement: question, conversation, options.
    pub fn parameters(&self) -> [Option<&str>; 3] {
        [
            Some(&self.question),
            self.conversation.as_deref(),
            self.options.as_deref().map(RawValue::get),
        ]
    }
}

/// What happens while a question runs. The last event is an answer or a failure, and there is one of them.
#[derive(Debug)]
pub enum Event {
    /// A stage begins.
    Step(Box<Step>),
    /// The row of `text2sql.ask`, as PostgreSQL wrote it.
    Answer(Box<RawValue>),
    /// There is no row.
    Failed(Problem),
}

/// A stage that begins: the DETAIL of a NOTICE with SQLSTATE `T2S01`.
#[derive(Debug, Clone, Serialize, Deserialize)]
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
    /// How many rows the query returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Why the query is repaired: the category of the fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
    /// How well the query fits the question, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

impl Step {
    /// The question waits, because others of the same role are running.
    pub(super) fn waiting() -> Self {
        Self {
            stage: "wait".to_owned(),
            ms: 0.0,
            trace_id: None,
            sql: None,
            rows: None,
            repair: None,
            score: None,
        }
    }
}
