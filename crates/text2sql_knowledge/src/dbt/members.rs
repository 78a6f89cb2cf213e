//! Helpers for members and names in a dbt manifest.

use serde_json::{Map, Value};
use text2sql_domain::object_name;

/// The members of a nested object with their names; of an array, as `semantic_manifest.json` has them, the elements
/// with their own names.
pub(super) fn members<'a>(
    value: &'a Value,
    name: &str,
) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let part = value.get(name);
    let named = part
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Map::iter);
    let listed = part.and_then(Value::as_array).into_iter().flatten();
    named
        .map(|(name, member)| (name.as_str(), member))
        .chain(listed.map(|member| (text(member, "name").unwrap_or_default(), member)))
}

/// The elements of a nested array.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let list = value.get(name).and_then(Value::as_array);
    list.map(Vec::as_slice).unwrap_or_default()
}

/// The qualified name of the table of a semantic model.
pub(super) fn table_of_semantic_model(model: &Value) -> Option<String> {
    if let Some(own) = own_meta(model) {
        return text(own, "table").map(str::to_owned);
    }
    let relation = model.get("node_relation")?;
    Some(object_name::join(&[
        text(relation, "schema_name")?,
        text(relation, "alias")?,
    ]))
}

/// A non-empty text member.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
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

/// What an export of this extension wrote beside a model or metric.
pub(super) fn own_meta(node: &Value) -> Option<&Value> {
    node.get("config")?.get("meta")?.get("text2sql")
}
