//! Reads what the double needs to know of a request: the messages, and whether structure is asked
//! for.

use serde_json::Value;

/// The part of a chat request that decides the reply.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) model: String,
    pub(crate) user_messages: Vec<String>,
    pub(crate) assistant_messages: usize,
    /// Name of the tool the request forces, in the shape of Anthropic's `tool_choice`.
    pub(crate) forced_tool: Option<String>,
    /// The request asks for a JSON schema or offers tools.
    pub(crate) wants_structure: bool,
    /// The request offers tools, and none is forced.
    pub(crate) offers_tools: bool,
    pub(crate) characters: usize,
}

impl Conversation {
    pub(crate) fn read(body: &Value) -> Self {
        let mut conversation = Self {
            model: text(body.get("model")),
            forced_tool: body
                .pointer("/tool_choice/name")
                .and_then(Value::as_str)
                .map(str::to_owned),
            wants_structure: ["response_format", "tools", "output_format", "output_config"]
                .iter()
                .any(|key| body.get(key).is_some_and(|v| !v.is_null())),
            offers_tools: body.get("tools").is_some_and(Value::is_array)
                && body.pointer("/tool_choice/name").is_none(),
            characters: text(body.get("system")).len(),
            ..Self::default()
        };
        let messages = body.get("messages").and_then(Value::as_array);
        for message in messages.into_iter().flatten() {
            let content = text(message.get("content"));
            conversation.characters += content.len();
            match message.get("role").and_then(Value::as_str) {
                Some("user") => conversation.user_messages.push(content),
                Some("assistant") => conversation.assistant_messages += 1,
                _ => {}
            }
        }
        conversation
    }
}

/// The text of a content, which is a string or a list of blocks.
fn text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks
            .iter()
            .filter_map(|block| block.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}
