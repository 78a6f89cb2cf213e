//! A model's opinion on why an answer is wrong. It is shown next to the reasons but is not one of them:
//! reasons are reproducible, an opinion is not.

use serde_json::{Value, json};

/// Maximum length of an opinion, in characters.
const MAX_CHARS: usize = 1_000;

/// The JSON schema of the reply.
pub fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["opinion"],
        "properties": {"opinion": {"type": "string"}}
    })
}

/// The opinion in a reply: from the JSON object if there is one, else the complete text.
pub fn read(text: &str) -> String {
    let object = text
        .find('{')
        .zip(text.rfind('}'))
        .and_then(|(from, to)| text.get(from..=to));
    let json: Option<Value> = object.and_then(|object| serde_json::from_str(object).ok());
    let opinion = json
        .as_ref()
        .and_then(|json| json.get("opinion"))
        .and_then(Value::as_str)
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
