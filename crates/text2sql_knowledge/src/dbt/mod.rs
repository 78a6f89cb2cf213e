//! Reads the knowledge in a dbt manifest (`target/manifest.json`, versions 9 to 12, or `semantic_manifest.json`):
//! descriptions, relationship and unique tests, accepted values, protection, semantic models and metrics.
//!
//! Whether the tables exist and the expressions are valid is checked when the knowledge is stored.

mod expression;
mod lesson;
mod made_metrics;
mod members;
mod metrics;
mod protection;

pub use self::lesson::{Lesson, Manifest};
pub(super) use self::members::list;

use serde_json::Value;

pub(super) use self::members::text;
use self::members::{column_of, members};

use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;

/// Maximum number of source relations of a model; the nearest are kept.
const MAX_SOURCES: usize = 200;

/// Reads a manifest.
pub fn read(manifest: &Value) -> Result<Manifest, Error> {
    let has = |part: &str, is: fn(&Value) -> bool| manifest.get(part).is_some_and(is);
    let is_manifest = has("nodes", Value::is_object) || has("sources", Value::is_object);
    if !is_manifest && !has("semantic_models", Value::is_array) {
        return Err(failure!(Setting, "this is no dbt manifest: it has neither \"nodes\" nor \"sources\" nor a list of \"semantic_models\"")
        .with_hint(
            "dbt writes target/manifest.json and target/semantic_manifest.json with every command that parses the project.",
        ));
    }
    let mut read = Manifest::default();
    for part in ["sources", "nodes"] {
        for (_, node) in members(manifest, part) {
            if let Some(table) = table_of(node) {
                describe(node, &table, &mut read);
                protection::read(node, &table, &mut read);
            }
        }
    }
    for (id, node) in members(manifest, "nodes") {
        if let Some(table) = built(node) {
            let sources = built_from(id, &table, manifest);
            if !sources.is_empty() {
                read.lessons.push(Lesson::DerivedFrom { table, sources });
            }
        }
    }
    for (id, node) in members(manifest, "nodes") {
        if text(node, "resource_type") == Some("test") {
            test(id, node, manifest, &mut read);
        }
    }
    metrics::read(manifest, &mut read);
    Ok(read)
}

/// The qualified name of the table of a model, seed, snapshot or source; `None` for anything else, and
/// for models without a relation.
fn table_of(node: &Value) -> Option<String> {
    if !matches!(
        text(node, "resource_type")?,
        "model" | "seed" | "snapshot" | "source"
    ) {
        return None;
    }
    let config = node.get("config");
    if config.and_then(|config| text(config, "materialized")) == Some("ephemeral") {
        return None;
    }
    let name = text(node, "identifier")
        .or_else(|| text(node, "alias"))
        .or_else(|| text(node, "name"))?;
    Some(object_name::join(&[text(node, "schema")?, name]))
}

/// The relation that dbt builds for a node from others. Seeds and sources are not built from others.
fn built(node: &Value) -> Option<String> {
    let is_built = matches!(text(node, "resource_type"), Some("model" | "snapshot"));
    is_built.then(|| table_of(node)).flatten()
}

/// The relations that a node is built from, in the order found.
fn built_from(id: &str, own: &str, manifest: &Value) -> Vec<String> {
    let mut seen: Vec<&str> = vec![id];
    let mut sources = Vec::new();
    let mut next = 0;
    while let Some(node) = seen
        .get(next)
        .copied()
        .and_then(|id| node_by_id(manifest, id))
    {
        next += 1;
        for before in dependencies(node) {
            if seen.contains(&before) || node_by_id(manifest, before).is_none() {
                continue;
            }
            seen.push(before);
            if let Some(table) = table_by_id(manifest, before)
                && table != own
                && !sources.contains(&table)
            {
                sources.push(table);
            }
        }
        if sources.len() >= MAX_SOURCES {
            break;
        }
    }
    sources
}

fn describe(node: &Value, table: &str, read: &mut Manifest) {
    if let Some(description) = text(node, "description") {
        read.lessons.push(Lesson::Description {
            object: table.to_owned(),
            text: description.to_owned(),
        });
    }
    for (key, column) in members(node, "columns") {
        if let Some(description) = text(column, "description") {
            let name = text(column, "name").unwrap_or(key);
            read.lessons.push(Lesson::Description {
                object: column_of(table, name),
                text: description.to_owned(),
            });
        }
    }
}

fn test(id: &str, node: &Value, manifest: &Value, read: &mut Manifest) {
    let Some(metadata) = node.get("test_metadata") else {
        return;
    };
    let kind = text(metadata, "name").unwrap_or_default();
    if !matches!(kind, "relationships" | "accepted_values") {
        return;
    }
    let arguments = metadata.get("kwargs").unwrap_or(&Value::Null);
    // dbt 1.10 nests them.
    let arguments = match arguments.get("arguments") {
        Some(nested) if nested.is_object() => nested,
        _ => arguments,
    };
    let column = text(node, "column_name")
        .or_else(|| text(arguments, "column_name"))
        .or_else(|| {
            metadata
                .get("kwargs")
                .and_then(|kwargs| text(kwargs, "column_name"))
        });
    let tested = tested_node(node).and_then(|node| table_by_id(manifest, node));
    let (Some(column), Some(table)) = (column, tested) else {
        read.left_out.push((
            id.to_owned(),
            "the tested column is not to be found".to_owned(),
        ));
        return;
    };
    let column = column_of(&table, column);
    if kind == "accepted_values" {
        let values = arguments.get("values").and_then(Value::as_array);
        let values: Vec<String> = values
            .into_iter()
            .flatten()
            .filter_map(|value| match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
                _ => None,
            })
            .collect();
        read.lessons.push(Lesson::Values { column, values });
        return;
    }
    let target = referred_node(node).and_then(|node| table_by_id(manifest, node));
    match (target, text(arguments, "field")) {
        (Some(target), Some(field)) => {
            let is_unique = is_unique(referred_node(node), field, manifest);
            let target = column_of(&target, field);
            if !read.has_join(&column, &target) {
                read.lessons.push(Lesson::Join {
                    column,
                    target,
                    is_unique,
                });
            }
        }
        _ => read.left_out.push((
            id.to_owned(),
            "the column referred to is not to be found".to_owned(),
        )),
    }
}

/// Whether a test of the project says that the column of a node is unique.
fn is_unique(node: Option<&str>, column: &str, manifest: &Value) -> bool {
    let name_of = |test: &Value| {
        test.get("test_metadata")
            .and_then(|test| text(test, "name"))
            .map(str::to_owned)
    };
    members(manifest, "nodes").any(|(_, test)| {
        text(test, "resource_type") == Some("test")
            && name_of(test).as_deref() == Some("unique")
            && tested_node(test) == node
            && text(test, "column_name") == Some(column)
    })
}

/// The id of the node that a test is attached to; in older manifests, the last of its dependencies.
fn tested_node(test: &Value) -> Option<&str> {
    text(test, "attached_node").or_else(|| dependencies(test).last())
}

/// The id of the other node of a relationship test; the same node for a self-reference.
fn referred_node(test: &Value) -> Option<&str> {
    let tested = tested_node(test)?;
    let other = dependencies(test).find(|node| *node != tested);
    Some(other.unwrap_or(tested))
}

fn dependencies(node: &Value) -> impl DoubleEndedIterator<Item = &str> {
    let nodes = node.get("depends_on").and_then(|on| on.get("nodes"));
    let nodes = nodes.and_then(Value::as_array).map(Vec::as_slice);
    nodes.unwrap_or_default().iter().filter_map(Value::as_str)
}

fn table_by_id(manifest: &Value, id: &str) -> Option<String> {
    table_of(node_by_id(manifest, id)?)
}

fn node_by_id<'a>(manifest: &'a Value, id: &str) -> Option<&'a Value> {
    let part = if id.starts_with("source.") {
        "sources"
    } else {
        "nodes"
    };
    manifest.get(part)?.get(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn project() -> Value {
        json!({
            "metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json"},
            "nodes": {
                "model.shop.orders": {
                    "resource_type": "model", "schema": "dbt", "name": "orders", "alias": "fct_orders",
                    "description": "One row for each order.", "config": {"materialized": "table"},
                    "depends_on": {"nodes": ["model.shop.step"]},
                    "columns": {
                        "status": {"name": "Status", "description": "where it stands"},
                        "id": {"name": "id", "description": ""},
                        "\"Odd One\"": {"name": "\"Odd One\"", "description": "odd"}}},
                "model.shop.step": {
                    "resource_type": "model", "schema": "dbt", "name": "step", "description": "inner",
                    "config": {"materialized": "ephemeral"}, "columns": {},
                    "depends_on": {"nodes": ["source.shop.raw.customers"]}},
                "test.shop.a": {
                    "resource_type": "test", "attached_node": "model.shop.orders", "column_name": "customer_id",
                    "test_metadata": {"name": "relationships", "kwargs": {
                        "column_name": "customer_id", "field": "id", "to": "source('raw', 'customers')"}},
                    "depends_on": {"nodes": ["source.shop.raw.customers", "model.shop.orders"]}},
                "test.shop.b": {
                    "resource_type": "test", "attached_node": "model.shop.orders", "column_name": "status",
                    "test_metadata": {"name": "accepted_values", "kwargs": {
                        "column_name": "status", "arguments": {"values": ["placed", "sent", 3]}}},
                    "depends_on": {"nodes": ["model.shop.orders"]}},
                "test.shop.c": {
                    "resource_type": "test", "attached_node": "model.shop.gone", "column_name": "x",
                    "test_metadata": {"name": "accepted_values", "kwargs": {"values": ["a"]}}},
                "test.shop.d": {
                    "resource_type": "test", "attached_node": "model.shop.orders", "column_name": "id",
                    "test_metadata": {"name": "unique", "kwargs": {}}}},
            "sources": {
                "source.shop.raw.customers": {
                    "resource_type": "source", "schema": "raw", "name": "customers",
                    "identifier": "Customers", "description": "as they come", "columns": {}}},
            "metrics": {}, "semantic_models": {}
        })
    }

    #[test]
    fn descriptions_and_tests_are_read() {
        let manifest = read(&project()).unwrap();
        let found: Vec<(&str, String)> = manifest
            .lessons
            .iter()
            .map(|lesson| (lesson.kind(), lesson.subject()))
            .collect();
        let expect = [
            ("description", "raw.\"Customers\""),
            ("description", "dbt.fct_orders"),
            ("description", "dbt.fct_orders.status"),
            ("description", "dbt.fct_orders.\"Odd One\""),
            ("derived from", "dbt.fct_orders"),
            ("join", "dbt.fct_orders.customer_id -> raw.\"Customers\".id"),
            ("values", "dbt.fct_orders.status"),
        ];
        assert_eq!(
            found,
            expect.map(|(kind, subject)| (kind, subject.to_owned()))
        );
        assert!(manifest.lessons.contains(&Lesson::Values {
            column: "dbt.fct_orders.status".into(),
            values: vec!["placed".into(), "sent".into(), "3".into()],
        }));
        // A dependency through an ephemeral model counts as one on that model's sources.
        assert!(manifest.lessons.contains(&Lesson::DerivedFrom {
            table: "dbt.fct_orders".into(),
            sources: vec!["raw.\"Customers\"".into()],
        }));
        assert_eq!(
            manifest.left_out,
            [(
                "test.shop.c".to_owned(),
                "the tested column is not to be found".to_owned()
            )]
        );
    }

    #[test]
    fn other_files_are_refused() {
        for other in [json!([]), json!({"nodes": 1}), json!("x"), Value::Null] {
            assert!(read(&other).is_err());
        }
    }
}
