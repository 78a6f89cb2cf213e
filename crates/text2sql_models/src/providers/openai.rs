//! Chat completions, in the protocol of OpenAI that most other endpoints support.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

use serde::Serialize;
use serde_json::{Value, json};

use super::chat_request::{ChatReply, ChatRequest, Manner, Names, ToolCall};
use super::failure;
use super::http_request::{key_header, request_to, write_body};
use text2sql_domain::config::{Endpoint, Protocol};
use text2sql_domain::error::Error;
use text2sql_domain::ports::{HttpRequest, HttpResponse};

/// Builds the request of one completion.
pub fn request(endpoint: &Endpoint, request: &ChatRequest, manner: Manner) -> HttpRequest {
    let system = (!request.system.is_empty()).then_some(Message {
        role: "system",
        content: &request.system,
    });
    let turns = request.turns.iter().map(|turn| Message {
        role: turn.speaker.role(),
        content: &turn.text,
    });
    let body = Completion {
        model: &endpoint.model,
        messages: system.into_iter().chain(turns).collect(),
        temperature: endpoint.temperature,
        seed: endpoint.seed,
        max_tokens: endpoint
            .max_output_tokens
            .filter(|_| !manner.has_completion_tokens),
        max_completion_tokens: endpoint
            .max_output_tokens
            .filter(|_| manner.has_completion_tokens),
        response_format: manner.is_structured.then(|| ResponseFormat {
            kind: "json_schema",
            json_schema: AnswerSchema {
                name: "answer",
                strict: true,
                schema: &request.reply_schema,
            },
        }),
        tools: manner.has_tools.then(|| {
            let tools = request.tools.iter();
            let tools = tools.map(|tool| {
                let function = json!({"name": tool.name, "description": tool.description, "parameters": tool.parameters});
                json!({"type": "function", "function": function})
            });
            tools.collect()
        }),
        names: (endpoint.protocol == Protocol::Local && !request.names.tables.is_empty())
            .then_some(&request.names),
    };
    let mut http = base_request(endpoint, "chat/completions");
    http.body = write_body(&body, endpoint);
    http
}

/// The body of a request; members that do not apply are omitted.
#[derive(Serialize)]
struct Completion<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<Value>>,
    /// Of protocol `local` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<&'a Names>,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

#[derive(Serialize)]
struct ResponseFormat<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    json_schema: AnswerSchema<'a>,
}

#[derive(Serialize)]
struct AnswerSchema<'a> {
    name: &'static str,
    strict: bool,
    schema: &'a Value,
}

/// A request to a path of the endpoint with its headers, key and connection policy.
pub fn base_request(endpoint: &Endpoint, path: &str) -> HttpRequest {
    request_to(
        endpoint,
        path,
        &[],
        key_header(endpoint, "authorization", "Bearer "),
    )
}

/// The text of a message: itself, or its parts. Parts of reasoning are not the reply.
fn text_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(parts) => {
            let is_text = |part: &&Value| {
                let kind = part.get("type").and_then(Value::as_str);
                matches!(kind, None | Some("text" | "output_text"))
            };
            let texts = parts.iter().filter(is_text);
            let texts =
                texts.filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            Some(texts.collect())
        }
        _ => None,
    }
}

/// The tools that a message calls.
fn calls_of(message: Option<&Value>) -> Vec<ToolCall> {
    let calls = message.and_then(|message| message.get("tool_calls")?.as_array());
    let calls = calls.into_iter().flatten();
    let calls = calls.filter_map(|call| {
        let function = call.get("function")?;
        let arguments = match function.get("arguments")? {
            Value::String(text) => text.clone(),
            // Some servers send the object itself.
            other => other.to_string(),
        };
        Some(ToolCall {
            name: function.get("name")?.as_str()?.to_owned(),
            arguments,
        })
    });
    calls.collect()
}

/// Reads a completion.
pub fn read(endpoint: &Endpoint, response: &HttpResponse) -> Result<ChatReply, Error> {
    let body = failure::read_json(endpoint, response)?;
    let message = body.pointer("/choices/0/message");
    if message
        .and_then(|message| message.get("refusal"))
        .is_some_and(Value::is_string)
        || body
            .pointer("/choices/0/finish_reason")
            .and_then(Value::as_str)
            == Some("content_filter")
    {
        return Err(failure::refusal(endpoint));
    }
    let content = message.and_then(|message| message.get("content"));
    let text = content.and_then(text_of);
    let calls = calls_of(message);
    let text = match calls.is_empty() {
        true => text.filter(|text| !text.trim().is_empty()),
        false => Some(ToolCall::written(&calls)),
    };
    let was_cut = body
        .pointer("/choices/0/finish_reason")
        .and_then(Value::as_str)
        == Some("length");
    match text {
        _ if was_cut => Err(failure::cut_short(endpoint)),
        None => Err(failure::empty(endpoint)),
        Some(text) => Ok(ChatReply {
            text,
            calls,
            model: failure::model_named(&body),
            input_tokens: failure::count(&body, "/usage/prompt_tokens"),
            cached_input_tokens: failure::count(
                &body,
                "/usage/prompt_tokens_details/cached_tokens",
            ),
            output_tokens: failure::count(&body, "/usage/completion_tokens"),
            ..ChatReply::default()
        }),
    }
}
