//! A model's opinion whether the SQL of an example answers its question.

use serde_json::{Value, json};

use text2sql_domain::error::{Error, failure};
use text2sql_models::reply;

/// Maximum length of a stored reason, in characters.
const MAX_REASON_CHARS: usize = 1_000;

/// A model's opinion of an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// `yes`, `no` or `unsure`.
    pub intent: &'static str,
    /// The reason.
    pub reason: String,
}

/// JSON Schema of the reply.
pub fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["reason", "intent"],
        "properties": {
            "reason": {"type": "string"},
            "intent": {"type": "string", "enum": ["yes", "no", "unsure"]}
        }
    })
}

/// Reads a reply. One without yes or no counts as `unsure`.
pub fn read(text: &str) -> Result<Verdict, Error> {
    let object = reply::object_with(text, &["intent"]).ok_or_else(|| {
        failure!(
            ModelReply,
            "the model's reply holds no opinion on the example"
        )
    })?;
    let member = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let intent = match member("intent").to_lowercase().as_str() {
        "yes" => "yes",
        "no" => "no",
        _ => "unsure",
    };
    Ok(Verdict {
        intent,
        reason: member("reason")
            .trim()
            .chars()
            .take(MAX_REASON_CHARS)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_an_opinion_with_its_reason() {
        let check = |text: &str, intent: &str, reason: &str| {
            let verdict = read(text).unwrap();
            assert_eq!((verdict.intent, verdict.reason.as_str()), (intent, reason));
        };
        check(
            r#"{"reason": "counts orders", "intent": "no"}"#,
            "no",
            "counts orders",
        );
        check("<think>{}</think>Well: {\"intent\": \"Yes\"}", "yes", "");
        check(r#"{"intent": "probably", "reason": " x "}"#, "unsure", "x");
        assert!(read("I would say yes.").is_err());
    }
}
