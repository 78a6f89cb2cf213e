//! Chat completions, as OpenAI defined them and most other endpoints speak them.
//!
//! <https://platform.openai.com/docs/api-reference/chat>

use serde_json::{Value, json};

use super::{ChatReply, ChatRequest, extend_body, failure, key_header, request_to};
use crate::config::Endpoint;
use crate::error::Error;
use crate::ports::{HttpRequest, HttpResponse};

/// Builds the request of one completion.
pub fn request(endpoint: &Endpoint, request: &ChatRequest, structured: bool) -> HttpRequest {
    let mut messages = vec![json!({"role": "system", "content": request.system})];
    messages.extend(
        request
            .turns
            .iter()
            .map(|turn| json!({"role": turn.speaker.role(), "content": turn.text})),
    );
    let mut body = json!({"model": endpoint.model, "messages": messages});
    if let Some(members) = body.as_object_mut() {
        if let Some(temperature) = endpoint.temperature {
            members.insert("temperature".into(), json!(temperature));
        }
        if let Some(seed) = endpoint.seed {
            members.insert("seed".into(), json!(seed));
        }
        if let Some(tokens) = endpoint.max_output_tokens {
            members.insert("max_tokens".into(), json!(tokens));
        }
        if structured {
            members.insert(
                "response_format".into(),
                json!({"type": "json_schema", "json_schema":
                    {"name": "answer", "strict": true, "schema": request.reply_schema}}),
            );
        }
    }
    extend_body(&mut body, endpoint);
    let mut http = base_request(endpoint, "chat/completions");
    http.body = body.to_string().into_bytes();
    http
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
    let text = message
        .and_then(|message| message.get("content"))
        .and_then(Value::as_str);
    let text = text.filter(|text| !text.trim().is_empty());
    let was_cut = body
        .pointer("/choices/0/finish_reason")
        .and_then(Value::as_str)
        == Some("length");
    match text {
        _ if was_cut => Err(failure::cut_short(endpoint)),
        None => Err(failure::empty(endpoint)),
        Some(text) => Ok(ChatReply {
            text: text.to_owned(),
            input_tokens: failure::count(&body, "/usage/prompt_tokens"),
            output_tokens: failure::count(&body, "/usage/completion_tokens"),
            ..ChatReply::default()
        }),
    }
}
