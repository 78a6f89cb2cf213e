//! What a chat front end sends.

use serde::Deserialize;

use crate::problem::Problem;

/// The parts of a request that mean something here. Temperature, tools and the like are for models.
#[derive(Debug, Deserialize)]
pub(super) struct Chat {
    messages: Vec<Message>,
    #[serde(default)]
    pub(super) stream: bool,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Option<Content>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    text: String,
}

impl Chat {
    /// The question: the text of the last message, which must be one of the user. Those before it are known to the
    /// conversation.
    pub(super) fn question(&self) -> Result<String, Problem> {
        let last = self
            .messages
            .last()
            .filter(|message| message.role == "user");
        let last = last
            .ok_or_else(|| Problem::bad_request("the last message must have the role \"user\""))?;
        let text = match &last.content {
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Parts(parts)) if parts.iter().all(|part| part.kind == "text") => parts
                .iter()
                .map(|part| part.text.as_str())
                .collect::<Vec<_>>()
                .join("\n"),
            Some(Content::Parts(_)) => return Err(Problem::bad_request("only text can be asked")),
            None => String::new(),
        };
        if text.trim().is_empty() {
            return Err(Problem::bad_request("the question is empty"));
        }
        Ok(text)
    }

    pub(super) fn wants_usage(&self) -> bool {
        self.stream_options
            .as_ref()
            .is_some_and(|options| options.include_usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(messages: &str) -> Result<String, String> {
        let chat: Chat =
            serde_json::from_str(&format!("{{\"model\": \"x\", \"messages\": {messages}}}"))
                .unwrap();
        chat.question().map_err(|problem| problem.title)
    }

    #[test]
    fn the_last_message_is_the_question() {
        let messages = r#"[{"role": "system", "content": "Be nice."}, {"role": "user", "content": "How many?"}]"#;
        assert_eq!(question(messages).as_deref(), Ok("How many?"));
        let parts = r#"[{"role": "user", "content": [{"type": "text", "text": "How"}, {"type": "text", "text": "many?"}]}]"#;
        assert_eq!(question(parts).as_deref(), Ok("How\nmany?"));
        for wrong in [
            "[]",
            r#"[{"role": "assistant", "content": "x"}]"#,
            r#"[{"role": "user", "content": " "}]"#,
            r#"[{"role": "user"}]"#,
            r#"[{"role": "user", "content": [{"type": "image_url"}]}]"#,
        ] {
            assert!(question(wrong).is_err(), "{wrong}");
        }
    }
}
