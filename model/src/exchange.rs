//! The requests that are understood, in the shape of OpenAI's chat completions, and the replies.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{Failure, Reply};
use crate::names::Names;

/// Tokens of a reply where the request has no limit: several times the longest query that such a model gets right.
const USUAL_TOKENS: usize = 512;

/// A request.
#[derive(Debug, Deserialize)]
pub struct Request {
    /// The conversation.
    pub messages: Vec<Message>,
    /// The most tokens of a reply.
    #[serde(default = "usual_tokens")]
    pub max_tokens: usize,
    /// What the reply may name; without it, whatever it likes.
    #[serde(default)]
    pub names: Option<Names>,
}

/// What somebody said.
#[derive(Debug, Deserialize)]
pub struct Message {
    /// Who: `system`, `user` or `assistant`.
    pub role: Role,
    /// What.
    pub content: String,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The instructions.
    System,
    /// Who asks.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// Its name in templates.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

fn usual_tokens() -> usize {
    USUAL_TOKENS
}

/// The body of a reply.
pub fn completion(name: &str, reply: &Reply) -> Value {
    json!({
        "object": "chat.completion",
        "model": name,
        "choices": [{
            "index": 0,
            "message": {"role": "assistant", "content": reply.text},
            "finish_reason": if reply.is_cut { "length" } else { "stop" },
        }],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.reply_tokens,
            "total_tokens": reply.prompt_tokens + reply.reply_tokens,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        },
    })
}

/// The status and the body for a failure; nothing of the request is in it.
pub fn failure(failure: &Failure) -> (u16, Value) {
    let (status, message) = match failure {
        Failure::Stopped => (499, "the caller has gone".to_owned()),
        Failure::TooLong { tokens, limit } => (
            413,
            format!("the prompt has {tokens} tokens, and there is room for {limit}"),
        ),
        Failure::NoName => (500, "the model names only what does not exist".to_owned()),
        Failure::Broken(why) => (500, (*why).to_owned()),
    };
    (
        status,
        json!({"error": {"message": message, "type": "text2sql_model"}}),
    )
}
