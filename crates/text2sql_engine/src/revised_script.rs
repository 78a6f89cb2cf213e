//! The reply of a model that changes a script.

use serde_json::{Value, json};

use text2sql_analysis::revision::script::{Action, ScriptChange};
use text2sql_language::sentences::strip_markup;
use text2sql_models::reply::object_with;

/// Maximum number of assumptions and of missing things that are read.
const MAX_NOTES: usize = 10;

/// Maximum length of each, in characters.
const MAX_NOTE_CHARS: usize = 300;

/// What a model replied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptReply {
    /// The changes, and what it had to choose.
    Changes(Vec<ScriptChange>, Vec<String>),
    /// What the schema lacks.
    Unanswerable(Vec<String>),
}

/// The JSON schema of the reply.
pub fn json_schema() -> Value {
    let statement = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["number", "action", "sql"],
        "properties": {
            "number": {"type": "integer"},
            "action": {"type": "string", "enum": ["change", "remove", "add"]},
            "sql": {"type": "string"}
        }
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["status", "statements", "assumptions", "missing"],
        "properties": {
            "status": {"type": "string", "enum": ["ok", "unanswerable"]},
            "statements": {"type": "array", "items": statement},
            "assumptions": {"type": "array", "items": {"type": "string"}},
            "missing": {"type": "array", "items": {"type": "string"}}
        }
    })
}

/// Reads the reply, or says what is wrong with it, in words for the model.
pub fn read(text: &str) -> Result<ScriptReply, String> {
    let no_object = || "it is not the JSON object that was asked for".to_owned();
    let object = object_with(text, &["status"]).ok_or_else(no_object)?;
    if object.get("status").and_then(Value::as_str) == Some("unanswerable") {
        return Ok(ScriptReply::Unanswerable(notes(&object, "missing")));
    }
    let statements = object.get("statements").and_then(Value::as_array);
    let statements = statements.ok_or_else(no_object)?;
    let changes: Option<Vec<ScriptChange>> = statements.iter().map(change).collect();
    let changes = changes.ok_or_else(|| {
        "a member of \"statements\" lacks \"number\", \"action\" or \"sql\"".to_owned()
    })?;
    let missing = notes(&object, "missing");
    let not_done = missing.into_iter().map(|what| format!("not done: {what}"));
    let notes = notes(&object, "assumptions").into_iter().chain(not_done);
    Ok(ScriptReply::Changes(changes, notes.collect()))
}

fn change(value: &Value) -> Option<ScriptChange> {
    let action = match value.get("action").and_then(Value::as_str)? {
        "change" => Action::Change,
        "remove" => Action::Remove,
        "add" => Action::Add,
        _ => return None,
    };
    let sql = value.get("sql").and_then(Value::as_str);
    Some(ScriptChange {
        number: usize::try_from(value.get("number").and_then(Value::as_u64)?).ok()?,
        sql: match action {
            Action::Remove => String::new(),
            Action::Change | Action::Add => sql?.to_owned(),
        },
        action,
    })
}

fn notes(object: &Value, name: &str) -> Vec<String> {
    let notes = object.get(name).and_then(Value::as_array);
    notes
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(|note| {
            strip_markup(note)
                .chars()
                .take(MAX_NOTE_CHARS)
                .collect::<String>()
        })
        .filter(|note| !note.is_empty())
        .take(MAX_NOTES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_or_say_what_they_lack() {
        let reply = r#"```json
            {"status": "ok", "statements": [{"number": 2, "action": "change", "sql": "SELECT 1"},
             {"number": 3, "action": "remove"}], "assumptions": ["<b>net</b> totals"], "missing": ["emails"]}```"#;
        let ScriptReply::Changes(changes, assumptions) = read(reply).unwrap() else {
            panic!("{reply}");
        };
        assert_eq!((changes.len(), changes[1].action), (2, Action::Remove));
        assert_eq!(assumptions, ["net totals", "not done: emails"]);
        assert_eq!(
            read(r#"{"status": "unanswerable", "missing": ["the weather"]}"#),
            Ok(ScriptReply::Unanswerable(vec!["the weather".to_owned()]))
        );
        for (reply, problem) in [
            ("I cannot", "it is not the JSON object that was asked for"),
            (
                r#"{"status": "ok"}"#,
                "it is not the JSON object that was asked for",
            ),
            (
                r#"{"status": "ok", "statements": [{"number": -1, "action": "change", "sql": "x"}]}"#,
                "a member of \"statements\" lacks \"number\", \"action\" or \"sql\"",
            ),
            (
                r#"{"status": "ok", "statements": [{"number": 1, "action": "change"}]}"#,
                "a member of \"statements\" lacks \"number\", \"action\" or \"sql\"",
            ),
        ] {
            assert_eq!(read(reply), Err(problem.to_owned()), "{reply}");
        }
    }
}
