//! The tools as clients list them. Every token of this list is in the context of an agent all the time, so the texts
//! are short; a test holds the whole list below its budget.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

/// The tools, in the order in which an agent needs them.
pub(in crate::mcp) fn list() -> Vec<Tool> {
    vec![
        tool(
            "ask",
            "Answer a question about the data in plain language. Gives a sentence, rows, the SQL that ran and warnings. \
             With status \"ambiguous\", ask one of the readings. The question is recorded in the history.",
            json!({
                "question": {"type": "string"},
                "conversation": {"type": "string", "description": "name of a conversation that the question continues"},
                "meaning": {"type": "object", "description": "meaning of an answer, changed: compiled as it is"}
            }),
            &["question"],
            Some(answer_schema()),
            true,
        ),
        tool(
            "run_sql",
            "Run one SELECT of PostgreSQL, read-only and limited. Prefer ask unless you wrote the SQL yourself.",
            json!({"sql": {"type": "string"}}),
            &["sql"],
            Some(answer_schema()),
            true,
        ),
        tool(
            "check_sql",
            "Say whether a SELECT may run, what it does in words, and which faults it shows. Does not run it.",
            json!({"sql": {"type": "string"}}),
            &["sql"],
            Some(check_schema()),
            true,
        ),
        tool(
            "find",
            "Find the tables, columns, values and terms that fit a question.",
            json!({"question": {"type": "string"}}),
            &["question"],
            Some(objects_schema()),
            true,
        ),
        tool(
            "describe",
            "Columns, keys, comments and meanings of a table.",
            json!({"table": {"type": "string", "description": "name, with schema where it is not on the search path"}}),
            &["table"],
            Some(tables_schema()),
            true,
        ),
        tool(
            "generate_sql",
            "Write SQL for a schema that is not in this database. Does not run it.",
            json!({
                "question": {"type": "string"},
                "schema_ddl": {"type": "string"},
                "dialect": {"type": "string", "enum": ["postgresql", "sqlite", "duckdb", "mysql", "tsql"]}
            }),
            &["question", "schema_ddl"],
            Some(sql_schema()),
            true,
        ),
        tool(
            "feedback",
            "Record whether an answer of ask was right. Only what the user said.",
            json!({
                "trace_id": {"type": "string"},
                "verdict": {"type": "string", "enum": ["right", "wrong"]},
                "corrected_sql": {"type": "string"},
                "comment": {"type": "string"}
            }),
            &["trace_id", "verdict"],
            Some(feedback_schema()),
            false,
        ),
    ]
}

fn tool(
    name: &'static str,
    description: &'static str,
    arguments: Value,
    required: &[&str],
    output: Option<Value>,
    only_reads: bool,
) -> Tool {
    let input = json!({"type": "object", "properties": arguments, "required": required, "additionalProperties": false});
    let mut tool = Tool::new(name, description, Arc::new(object(input)));
    tool.output_schema = output.map(|schema| Arc::new(object(schema)));
    // The other hints are about tools that change something.
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = Some(only_reads);
    annotations.open_world_hint = Some(false);
    if !only_reads {
        annotations.destructive_hint = Some(false);
    }
    tool.annotations = Some(annotations);
    tool
}

/// The row of `ask`. One schema for every question: the columns of the result are data.
fn answer_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "status": {"type": "string"},
            "answer": {"type": ["string", "null"]},
            "sql": {"type": ["string", "null"]},
            "rows": {"type": "array", "items": {"type": "object"}},
            "rows_left_out": {"type": "integer"},
            "truncated": {"type": ["boolean", "null"]},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "readings": {"type": "array", "items": {"type": "string"}},
            "meaning": {"type": ["object", "null"]},
            "follow_ups": {"type": "array", "items": {"type": "string"}},
            "trace_id": {"type": ["string", "null"]}
        },
        "required": ["status", "rows"]
    })
}

/// The row of `generate_sql`.
fn sql_schema() -> Value {
    json!({"type": "object", "properties": {"status": {"type": "string"}, "sql": {"type": ["string", "null"]}}, "required": ["status"]})
}

fn check_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "allowed": {"type": "boolean"},
            "reason": {"type": ["string", "null"]},
            "steps": {"type": "array", "items": {"type": "string"}},
            "findings": {"type": "array", "items": {"type": "object"}}
        },
        "required": ["allowed"]
    })
}

fn objects_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"objects": {"type": "array", "items": {"type": "object"}}},
        "required": ["objects"]
    })
}

fn tables_schema() -> Value {
    json!({
        "type": "object",
        "properties": {"tables": {"type": "array", "items": {"type": "object"}}},
        "required": ["tables"]
    })
}

fn feedback_schema() -> Value {
    json!({"type": "object", "properties": {"example_id": {"type": ["integer", "null"]}}, "required": ["example_id"]})
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At most 1,500 tokens. A token of JSON and English has about 3.5 characters at least, in the tokenizers of 2026.
    #[test]
    fn the_list_is_short() {
        let text = serde_json::to_string(&list()).unwrap();
        assert!(text.len() < 1_500 * 7 / 2, "{} characters", text.len());
    }

    #[test]
    fn a_tool_that_writes_says_so() {
        for tool in list() {
            let reads = tool.annotations.and_then(|hints| hints.read_only_hint);
            assert_eq!(reads, Some(tool.name != "feedback"), "{}", tool.name);
        }
    }
}
