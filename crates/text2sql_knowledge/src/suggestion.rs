//! A model's suggestions for objects without a description. Suggestions for other objects are ignored.

use serde_json::{Value, json};

use text2sql_domain::error::{Error, failure};
use text2sql_models::reply;

/// Maximum length of a description, meaning or expression, in characters.
const MAX_CHARS: usize = 2_000;

/// A suggestion for the review table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Suggestion {
    /// A description of an object.
    Description {
        /// The object's name as in the prompt.
        object: String,
        /// The description.
        description: String,
    },
    /// A business term.
    Definition {
        /// The term.
        term: String,
        /// What it means.
        meaning: String,
        /// Its table, named as in the prompt.
        table: String,
        /// Its SQL expression, if known.
        sql_expression: Option<String>,
    },
}

/// JSON Schema of the reply.
pub fn json_schema() -> Value {
    let text = json!({"type": "string"});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["descriptions", "definitions"],
        "properties": {
            "descriptions": {"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["object", "description"],
                "properties": {"object": text, "description": text}
            }},
            "definitions": {"type": "array", "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["term", "meaning", "table", "sql_expression"],
                "properties": {
                    "term": text,
                    "meaning": text,
                    "table": text,
                    "sql_expression": {"type": ["string", "null"]}
                }
            }}
        }
    })
}

/// Reads a reply: at most one description for each of `objects`, and definitions for `tables`.
pub fn read(text: &str, objects: &[String], tables: &[String]) -> Result<Vec<Suggestion>, Error> {
    let reply = reply::object_with(text, &["descriptions", "definitions"]).ok_or_else(|| {
        failure!(ModelReply, "the model's reply holds no suggestions").with_hint(
            "Try again with fewer tables, or with another model: SET text2sql.model = '…'",
        )
    })?;
    let list = |name: &str| reply.get(name).and_then(Value::as_array).cloned();
    let member = |item: &Value, name: &str| -> Option<String> {
        let text = item.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.chars().take(MAX_CHARS).collect())
    };
    let mut described: Vec<String> = Vec::new();
    let mut suggestions = Vec::new();
    for item in list("descriptions").into_iter().flatten() {
        let (Some(object), Some(description)) =
            (member(&item, "object"), member(&item, "description"))
        else {
            continue;
        };
        if objects.contains(&object) && !described.contains(&object) {
            described.push(object.clone());
            suggestions.push(Suggestion::Description {
                object,
                description,
            });
        }
    }
    for item in list("definitions").into_iter().flatten() {
        let (Some(term), Some(meaning), Some(table)) = (
            member(&item, "term"),
            member(&item, "meaning"),
            member(&item, "table"),
        ) else {
            continue;
        };
        if tables.contains(&table) {
            suggestions.push(Suggestion::Definition {
                term,
                meaning,
                table,
                sql_expression: member(&item, "sql_expression"),
            });
        }
    }
    Ok(suggestions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_is_taken() {
        let objects = ["shop.a".to_owned(), "shop.a.b".to_owned()];
        let tables = ["shop.a".to_owned()];
        let reply = r#"{"descriptions": [
            {"object": "shop.a.b", "description": " what b says "},
            {"object": "shop.a.b", "description": "again"},
            {"object": "hr.secret", "description": "x"},
            {"object": "shop.a"}],
          "definitions": [
            {"term": "revenue", "meaning": "money", "table": "shop.a", "sql_expression": "sum(b)"},
            {"term": "x", "meaning": "y", "table": "hr.secret", "sql_expression": null}]}"#;
        let found = read(reply, &objects, &tables).unwrap();
        assert_eq!(
            found,
            [
                Suggestion::Description {
                    object: "shop.a.b".into(),
                    description: "what b says".into()
                },
                Suggestion::Definition {
                    term: "revenue".into(),
                    meaning: "money".into(),
                    table: "shop.a".into(),
                    sql_expression: Some("sum(b)".into())
                }
            ]
        );
        assert!(read("no idea", &objects, &tables).is_err());
        assert_eq!(
            read(r#"{"definitions": []}"#, &objects, &tables).unwrap(),
            []
        );
    }
}
