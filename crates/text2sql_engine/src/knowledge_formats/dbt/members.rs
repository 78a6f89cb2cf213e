//! Helpers for members and names in a dbt manifest.

use serde_json::{Map, Value};
use text2sql_domain::object_name;

/// The members of a nested object.
pub(super) fn members<'a>(
    value: &'a Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    value
        .get(name)
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter)
}

/// A non-empty text member.
pub(super) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    let text = value.get(name)?.as_str()?.trim();
    (!text.is_empty()).then_some(text)
}

/// The qualified name of a column. dbt keeps the project's spelling; unquoted names are folded.
pub(super) fn column_of(table: &str, name: &str) -> String {
    let bare = name.trim_matches('"');
    let name = if bare.len() == name.len()
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    {
        bare.to_ascii_lowercase()
    } else {
        bare.to_owned()
    };
    format!("{table}.{}", object_name::join(&[name]))
}
