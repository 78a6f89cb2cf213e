//! Messages, as Anthropic defines them.
//!
//! <https://docs.anthropic.com/en/api/messages>. Structured output is a forced call of one tool
//! whose input is the reply.

use serde_json::{Value, json};

use super::chat_request::{ChatReply, ChatRequest, Manner, ToolCall};
use super::failure;
use super::http_request::{key_header, request_to, write_body};
use text2sql_domain::config::Endpoint;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{HttpRequest, HttpResponse};

/// The protocol demands a bound on the reply; 4096 tokens hold any query of 64 KiB a model writes.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// The tool whose input is the reply.
const ANSWER: &str = "answer";

/// Version of the protocol this file was written for.
const PROTOCOL_VERSION: &str = "2023-06-01";

/// Builds the request of one message.
pub fn request(endpoint: &Endpoint, request: &ChatRequest, manner: Manner) -> HttpRequest {
    let messages: Vec<Value> = request
        .turns
        .iter()
        .enumerate()
        .map(|(place, turn)| {
            let shared = if place == 0 { request.shared } else { 0 };
            json!({"role": turn.speaker.role(), "content": content(&turn.text, shared)})
        })
        .collect();
    let mut body = json!({
        "model": endpoint.model,
        "max_tokens": endpoint.max_output_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        "messages": messages,
    });
    if let Some(members) = body.as_object_mut() {
        if !request.system.is_empty() {
            members.insert("system".into(), json!(request.system));
        }
        if let Some(temperature) = endpoint.temperature {
            members.insert("temperature".into(), json!(temperature));
        }
        let mut tools = Vec::new();
        if manner.is_structured {
            tools.push(json!({"name": ANSWER, "description": "Gives the answer.",
                "input_schema": *request.reply_schema}));
        }
        if manner.has_tools {
            let others = request.tools.iter();
            tools.extend(others.map(|tool| {
                json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})
            }));
        }
        let choice = match (manner.is_structured, manner.has_tools) {
            (true, false) => json!({"type": "tool", "name": ANSWER}),
            (true, true) => json!({"type": "any"}),
            (false, _) => json!({"type": "auto"}),
        };
        if !tools.is_empty() {
            members.insert("tools".into(), tools.into());
            members.insert("tool_choice".into(), choice);
        }
    }
    let mut http = base_request(endpoint, "messages");
    http.body = write_body(&body, endpoint);
    http
}

/// The content of a turn. The endpoint keeps what it has read up to the mark, for five minutes: instructions and schema of
/// the next question cost a tenth then, and a quarter more the first time.
fn content(text: &str, shared: usize) -> Value {
    match text.split_at_checked(shared) {
        Some((shared, rest)) if !shared.is_empty() && !rest.is_empty() => json!([
            {"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": rest},
        ]),
        _ => json!(text),
    }
}

/// A request to a path of the endpoint with its headers, key and connection policy.
pub fn base_request(endpoint: &Endpoint, path: &str) -> HttpRequest {
    request_to(
        endpoint,
        path,
        &[("anthropic-version", PROTOCOL_VERSION)],
        key_header(endpoint, "x-api-key", ""),
    )
}

/// Reads a message: the tool's input where there is one, else its text.
pub fn read(endpoint: &Endpoint, response: &HttpResponse) -> Result<ChatReply, Error> {
    let body = failure::read_json(endpoint, response)?;
    match body.get("stop_reason").and_then(Value::as_str) {
        Some("refusal") => return Err(failure::refusal(endpoint)),
        Some("max_tokens") => return Err(failure::cut_short(endpoint)),
        _ => {}
    }
    let blocks = body
        .get("content")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let has_type =
        |block: &&Value, kind: &str| block.get("type").and_then(Value::as_str) == Some(kind);
    let used = || blocks.iter().filter(|block| has_type(block, "tool_use"));
    let name_of = |block: &Value| {
        block
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or(ANSWER)
            .to_owned()
    };
    let tool_input = used()
        .find(|block| name_of(block) == ANSWER)
        .and_then(|block| block.get("input"));
    let calls: Vec<ToolCall> = match tool_input {
        Some(_) => Vec::new(),
        None => used()
            .map(|block| ToolCall {
                name: name_of(block),
                arguments: block.get("input").map(Value::to_string).unwrap_or_default(),
            })
            .collect(),
    };
    let text = match tool_input {
        Some(input) => input.to_string(),
        None if !calls.is_empty() => ToolCall::written(&calls),
        None => blocks
            .iter()
            .filter(|block| has_type(block, "text"))
            .filter_map(|block| block.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
    };
    if text.trim().is_empty() {
        return Err(failure::empty(endpoint));
    }
    let cached = failure::count(&body, "/usage/cache_read_input_tokens");
    Ok(ChatReply {
        text,
        calls,
        model: failure::model_named(&body),
        // Beside those that were read from the cache or written to it.
        input_tokens: failure::count(&body, "/usage/input_tokens")
            .saturating_add(failure::count(&body, "/usage/cache_creation_input_tokens"))
            .saturating_add(cached),
        cached_input_tokens: cached,
        output_tokens: failure::count(&body, "/usage/output_tokens"),
        ..ChatReply::default()
    })
}
