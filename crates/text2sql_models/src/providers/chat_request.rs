//! The request to a model and its reply, as all protocols share them.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use text2sql_domain::config::Endpoint;
use text2sql_domain::ports::HttpResponse;
use text2sql_domain::prices::TokenCount;
use text2sql_domain::schema::{Table, quote_identifier};

/// A request to a model: a system text, turns of a conversation, and the shape of the reply.
#[derive(Debug, Clone)]
pub struct ChatRequest {
    /// The instructions. Never holds text from the database or from the person asking.
    pub system: String,
    /// The turns, the model's last reply before a repair included.
    pub turns: Vec<Turn>,
    /// How many bytes the first turn begins with that other requests begin with, too.
    pub shared: usize,
    /// JSON Schema of the reply.
    pub reply_schema: Arc<Value>,
    /// What the reply is for: the stage's name.
    pub purpose: &'static str,
    /// What the reply may name, for a program of ours that keeps to it.
    pub names: Names,
    /// What the model may call before it replies.
    pub tools: Vec<Tool>,
}

/// A tool that a model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// A JSON object, if the model keeps to the schema.
    pub arguments: String,
}

impl ToolCall {
    /// The calls as a text of the conversation.
    pub fn written(calls: &[Self]) -> String {
        let calls = calls.iter();
        let calls = calls.map(|call| format!("{}({})", call.name, call.arguments));
        calls.collect::<Vec<_>>().join("\n")
    }
}

/// Tables and columns, as SQL writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Names {
    /// Tables, with their schema where a query needs it.
    pub tables: Vec<String>,
    /// Columns of all tables.
    pub columns: Vec<String>,
}

impl Names {
    /// Adds those of some tables.
    pub fn add<'a>(&mut self, tables: impl IntoIterator<Item = &'a Table>) {
        for table in tables {
            add_new(&mut self.tables, table.sql_name());
            for column in &table.columns {
                add_new(&mut self.columns, quote_identifier(&column.name));
            }
        }
    }
}

fn add_new(names: &mut Vec<String>, name: String) {
    if let Err(place) = names.binary_search(&name) {
        names.insert(place, name);
    }
}

impl ChatRequest {
    /// All text that is sent.
    pub fn text(&self) -> String {
        let turns = self.turns.iter().map(|turn| turn.text.as_str());
        let texts: Vec<&str> = std::iter::once(self.system.as_str()).chain(turns).collect();
        texts.join("\n\n")
    }
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The speaker.
    pub speaker: Speaker,
    /// The text.
    pub text: String,
}

/// The speaker of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The model.
    Assistant,
}

impl Speaker {
    pub(super) fn role(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What a model replied.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChatReply {
    /// The text; of calls what they are.
    pub text: String,
    /// The tools that are called instead.
    pub calls: Vec<ToolCall>,
    /// Tokens read, as the endpoint counts them.
    pub input_tokens: u64,
    /// The part of them that the endpoint read from its cache, for less.
    pub cached_input_tokens: u64,
    /// Tokens written, as the endpoint counts them.
    pub output_tokens: u64,
    /// The model that replied, as the endpoint names it.
    pub model: Option<String>,
    /// HTTP requests made, retries included.
    pub requests: u32,
    /// Whether the endpoint refused structured output and was asked again without.
    pub structured_refused: bool,
    /// Whether the endpoint refused `max_tokens` and was asked again with `max_completion_tokens`.
    pub max_tokens_refused: bool,
}

impl ChatReply {
    /// Its tokens.
    pub fn tokens(&self) -> TokenCount {
        TokenCount {
            input: self.input_tokens,
            cached_input: self.cached_input_tokens,
            output: self.output_tokens,
        }
    }
}

/// The form of a request, where endpoints of one protocol differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// With a JSON Schema of the reply.
    pub is_structured: bool,
    /// With tools that the model may call.
    pub has_tools: bool,
    /// With the limit on the reply's length in `max_completion_tokens`, which newer models of OpenAI require,
    /// instead of `max_tokens`, which is all that most other servers support.
    pub has_completion_tokens: bool,
}

impl Manner {
    pub(super) fn first(endpoint: &Endpoint, request: &ChatRequest) -> Self {
        Self {
            is_structured: endpoint.structured_output,
            has_tools: !request.tools.is_empty(),
            has_completion_tokens: endpoint.completion_tokens,
        }
    }

    /// The form of the next attempt after the endpoint refused a request; `None` when nothing is left to change.
    pub(super) fn after_refusal(
        mut self,
        endpoint: &Endpoint,
        response: &HttpResponse,
    ) -> Option<Self> {
        // Some servers with a schema validator return 422 instead of 400.
        if !matches!(response.status, 400 | 422) {
            return None;
        }
        let name = b"max_completion_tokens";
        if endpoint.max_output_tokens.is_some()
            && !self.has_completion_tokens
            && response.body.windows(name.len()).any(|part| part == name)
        {
            self.has_completion_tokens = true;
        } else if self.has_tools {
            self.has_tools = false;
        } else if self.is_structured {
            self.is_structured = false;
        } else {
            return None;
        }
        Some(self)
    }
}
