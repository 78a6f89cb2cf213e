//! One file for each protocol that a model endpoint can speak. Each turns a [`ChatRequest`] into an HTTP
//! request and an HTTP response into a [`ChatReply`]; [`complete`] chooses among them.

mod anthropic;
mod chat;
mod chat_request;
pub mod embeddings;
pub mod failure;
mod http_request;
mod openai;
pub mod options;
pub mod replay;
pub mod rerank;

pub use self::chat::{complete, complete_all, probe};
pub use self::chat_request::{ChatReply, ChatRequest, Names, Speaker, Tool, ToolCall, Turn};
