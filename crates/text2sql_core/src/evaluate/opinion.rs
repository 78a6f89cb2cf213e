//! A model's opinion on why an answer is wrong. It stands beside the reasons and is never one of them: the
//! reasons are the same tomorrow, an opinion need not be.

use crate::config::ModelConfig;
use crate::error::{Error, ErrorKind};
use crate::ports::Transport;
use crate::prompt::opinion::render_opinion;
use crate::providers::{self, ChatReply, ChatRequest, Speaker, Turn, replay};

/// Longest opinion that is kept, in characters.
const MAX_CHARS: usize = 1_000;

/// Asks the model; the reply's tokens come along.
pub fn opinion(
    model: &ModelConfig,
    transport: &dyn Transport,
    (question, gold, candidate, reasons): (&str, &str, &str, &str),
) -> Result<(String, ChatReply), Error> {
    let prompt = render_opinion(question, gold, candidate, reasons);
    let request = ChatRequest {
        system: prompt.system,
        turns: vec![Turn {
            speaker: Speaker::User,
            text: prompt.user,
        }],
        reply_schema: serde_json::json!({
            "type": "object",
            "properties": {"opinion": {"type": "string"}},
            "required": ["opinion"],
            "additionalProperties": false
        }),
    };
    let reply = match model {
        ModelConfig::Endpoint(endpoint) => providers::complete(endpoint, &request, transport)?,
        ModelConfig::Replay(recordings) => {
            replay::complete(recordings, &format!("opinion: {question}"), &request)?
        }
        ModelConfig::Builtin => {
            return Err(
                Error::new(ErrorKind::Setup, "the built-in engine has no opinions")
                    .with_hint("SET text2sql.model = '…' to the model that is to be asked"),
            );
        }
    };
    Ok((read(&reply.text), reply))
}

/// The opinion in a reply: of the JSON object if there is one, else all of it.
fn read(text: &str) -> String {
    let object = text
        .find('{')
        .zip(text.rfind('}'))
        .and_then(|(from, to)| text.get(from..=to));
    let json: Option<serde_json::Value> =
        object.and_then(|object| serde_json::from_str(object).ok());
    let opinion = json
        .as_ref()
        .and_then(|json| json.get("opinion"))
        .and_then(serde_json::Value::as_str)
        .unwrap_or(text);
    opinion.trim().chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opinion_is_found_in_any_reply() {
        assert_eq!(
            read("```json\n{\"opinion\": \" The join is missing. \"}\n```"),
            "The join is missing."
        );
        assert_eq!(read("The join is missing."), "The join is missing.");
        assert_eq!(read(&"x".repeat(5_000)).len(), 1_000);
    }
}
