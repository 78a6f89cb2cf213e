//! The bodies of good replies and of errors, in the shapes of OpenAI and Anthropic.

use serde_json::{Value, json};

use crate::behaviour::Behaviour;
use crate::conversation::Conversation;

/// Which service's shape a reply has; the end of the path decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    OpenAi,
    Anthropic,
}

/// A model's message, before it is put into a shape.
struct Message {
    content: Option<String>,
    refused: bool,
    cut: bool,
}

/// Renders the reply to a conversation.
pub(crate) fn completion(
    shape: Shape,
    conversation: &Conversation,
    scripted: String,
    behaviours: &[Behaviour],
) -> Value {
    let message = message(scripted, behaviours);
    let mut body = match shape {
        Shape::OpenAi => openai(conversation, &message),
        Shape::Anthropic => anthropic(conversation, &message),
    };
    for behaviour in behaviours {
        if let (Behaviour::Usage(tokens), Some(Value::Object(usage))) =
            (behaviour, body.get_mut("usage"))
        {
            usage
                .values_mut()
                .for_each(|count| *count = Value::from(*tokens));
        }
    }
    body
}

fn message(scripted: String, behaviours: &[Behaviour]) -> Message {
    let mut message = Message {
        content: Some(scripted),
        refused: false,
        cut: false,
    };
    for behaviour in behaviours {
        let scripted = message.content.clone().unwrap_or_default();
        match behaviour {
            Behaviour::EmptyContent => message.content = None,
            Behaviour::Refusal => message.refused = true,
            Behaviour::Length => message.cut = true,
            Behaviour::NoSql => {
                message.content =
                    Some("I looked at the tables and found them very interesting.".to_owned());
            }
            Behaviour::BareSql => message.content = Some(sql_in(&scripted)),
            Behaviour::Fenced => {
                message.content = Some(format!(
                    "Here is a query that answers the question:\n\n```sql\n{}\n```\n\nIt reads every row once.",
                    sql_in(&scripted)
                ));
            }
            _ => {}
        }
    }
    if message.cut {
        message.content = message.content.map(|text| first_half(&text));
    }
    message
}

/// The tools that a scripted reply calls, with their arguments; none where the request offers no tools.
fn calls(conversation: &Conversation, content: Option<&str>) -> Vec<(String, Value)> {
    let said: Option<Value> = content.and_then(|text| serde_json::from_str(text).ok());
    let called = said.as_ref().and_then(|said| said.get("call")?.as_object());
    let called = called.filter(|_| conversation.offers_tools);
    let called = called.into_iter().flatten();
    called
        .map(|(name, arguments)| (name.clone(), arguments.clone()))
        .collect()
}

fn openai(conversation: &Conversation, message: &Message) -> Value {
    let content = message.content.as_deref().filter(|_| !message.refused);
    let prompt_tokens = tokens(conversation.characters);
    let completion_tokens = tokens(content.map_or(0, str::len));
    let calls: Vec<Value> = calls(conversation, content)
        .into_iter()
        .map(|(name, arguments)| {
            let function = json!({"name": name, "arguments": arguments.to_string()});
            json!({"id": format!("call_{name}"), "type": "function", "function": function})
        })
        .collect();
    let content = content.filter(|_| calls.is_empty());
    json!({
        "id": "chatcmpl-double",
        "object": "chat.completion",
        "created": 0,
        "model": conversation.model,
        "choices": [{
            "index": 0,
            "message": {
                "role": "assistant",
                "content": content,
                "tool_calls": (!calls.is_empty()).then_some(calls),
                "refusal": message.refused.then_some("I cannot help with that."),
            },
            "finish_reason": if message.cut { "length" } else { "stop" },
        }],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
        },
    })
}

fn anthropic(conversation: &Conversation, message: &Message) -> Value {
    let content = message.content.as_deref().filter(|_| !message.refused);
    let called: Vec<Value> = calls(conversation, content)
        .into_iter()
        .map(|(name, input)| json!({"type": "tool_use", "id": "toolu_double", "name": name, "input": input}))
        .collect();
    let blocks = match (content, &conversation.forced_tool) {
        _ if !called.is_empty() => json!(called),
        (None, _) => json!([]),
        (Some(text), Some(tool)) => match serde_json::from_str::<Value>(text) {
            Ok(input) if input.is_object() => json!([
                { "type": "tool_use", "id": "toolu_double", "name": tool, "input": input }
            ]),
            _ => json!([{ "type": "text", "text": text }]),
        },
        (Some(text), None) => json!([{ "type": "text", "text": text }]),
    };
    let used_tool = blocks.pointer("/0/type").and_then(Value::as_str) == Some("tool_use");
    json!({
        "id": "msg_double",
        "type": "message",
        "role": "assistant",
        "model": conversation.model,
        "content": blocks,
        "stop_reason": match message {
            Message { refused: true, .. } => "refusal",
            Message { cut: true, .. } => "max_tokens",
            _ if used_tool => "tool_use",
            _ => "end_turn",
        },
        "stop_sequence": null,
        "usage": {
            "input_tokens": tokens(conversation.characters),
            "output_tokens": tokens(content.map_or(0, str::len)),
        },
    })
}

/// Renders an error body.
pub(crate) fn error(shape: Shape, status: u16, code: Option<&str>, message: &str) -> Value {
    let kind = match status {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    };
    match shape {
        Shape::OpenAi => json!({
            "error": { "message": message, "type": kind, "param": null, "code": code }
        }),
        Shape::Anthropic => json!({
            "type": "error", "error": { "type": kind, "message": message }
        }),
    }
}

/// The models the double claims to have.
pub(crate) fn models() -> Value {
    json!({
        "object": "list",
        "data": [{ "id": "double-1", "object": "model", "created": 0, "owned_by": "double" }],
        "has_more": false,
    })
}

/// The statement in a scripted reply: its `sql` when it is a JSON object with one, else all of it.
fn sql_in(scripted: &str) -> String {
    serde_json::from_str::<Value>(scripted)
        .ok()
        .and_then(|value| value.get("sql")?.as_str().map(str::to_owned))
        .unwrap_or_else(|| scripted.to_owned())
}

/// Cuts a text in the middle, at a character boundary.
pub(crate) fn first_half(text: &str) -> String {
    text.chars().take(text.chars().count() / 2).collect()
}

/// Four characters a token: near enough for a double, and the same on every run.
fn tokens(characters: usize) -> usize {
    characters.div_ceil(4)
}
