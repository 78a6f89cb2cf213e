//! How a dbt project says that an object is to be protected.
//!
//! `meta: {text2sql: {protect: private}}` says it of a model, a source or a column, and so do the tags
//! `text2sql_private` and `text2sql_hidden`. The tags and the members of `meta` that projects use for personal data
//! (`pii`, `contains_pii`) mean `private`.

use serde_json::Value;

use super::lesson::{Lesson, Manifest};
use super::members::{column_of, list, members, text};

/// Tags and members of `meta` that projects use for personal data.
const PERSONAL: &[&str] = &["pii", "contains_pii"];

/// Adds the protection of a node and of its columns.
pub(super) fn read(node: &Value, table: &str, read: &mut Manifest) {
    add(node, table.to_owned(), read);
    for (key, column) in members(node, "columns") {
        let name = text(column, "name").unwrap_or(key);
        add(column, column_of(table, name), read);
    }
}

fn add(node: &Value, object: String, read: &mut Manifest) {
    match level(node) {
        Ok(Some(level)) => read.lessons.push(Lesson::Protection {
            object,
            level: level.to_owned(),
        }),
        Ok(None) => {}
        Err(why) => read.left_out.push((object, why)),
    }
}

/// The strictest level that is declared.
fn level(node: &Value) -> Result<Option<&'static str>, String> {
    let mut found = None;
    let config = node.get("config").unwrap_or(&Value::Null);
    for declared in [node, config] {
        let meta = declared.get("meta").unwrap_or(&Value::Null);
        let own = meta.get("text2sql").and_then(|own| own.get("protect"));
        let level = match own {
            None | Some(Value::Null) => None,
            Some(own) => match own.as_str() {
                Some("hidden") => Some("hidden"),
                Some("private") => Some("private"),
                Some("open") => None,
                _ => {
                    return Err(format!(
                        "its level of protection is {own}, not \"private\" or \"hidden\""
                    ));
                }
            },
        };
        let is_tagged = |tag: &str| match declared.get("tags") {
            Some(Value::String(only)) => only == tag,
            _ => list(declared, "tags")
                .iter()
                .any(|known| known.as_str() == Some(tag)),
        };
        let is_personal = PERSONAL
            .iter()
            .any(|name| is_tagged(name) || meta.get(name).and_then(Value::as_bool) == Some(true));
        if level == Some("hidden") || is_tagged("text2sql_hidden") {
            return Ok(Some("hidden"));
        }
        if level.is_some() || is_tagged("text2sql_private") || is_personal {
            found = Some("private");
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_strictest_of_meta_and_tags_counts() {
        for (node, expected) in [
            (json!({}), None),
            (
                json!({"meta": {"text2sql": {"protect": "private"}}}),
                Some("private"),
            ),
            (
                json!({"config": {"meta": {"text2sql": {"protect": "hidden"}}}, "tags": ["pii"]}),
                Some("hidden"),
            ),
            (json!({"tags": ["nightly", "pii"]}), Some("private")),
            (
                json!({"config": {"tags": "text2sql_hidden"}}),
                Some("hidden"),
            ),
            (json!({"meta": {"contains_pii": true}}), Some("private")),
            (json!({"meta": {"contains_pii": false}}), None),
            (json!({"meta": {"text2sql": {"protect": "open"}}}), None),
        ] {
            assert_eq!(level(&node), Ok(expected), "{node}");
        }
        assert!(level(&json!({"meta": {"text2sql": {"protect": "secret"}}})).is_err());
    }
}
