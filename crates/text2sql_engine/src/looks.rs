//! What a model may look at before it writes a query, by calls of tools: values of a column, how many rows meet a
//! condition, passages of texts.
//!
//! Off unless `max_looks` allows it, and only for endpoints with calls of tools. Each look is a statement that the guard
//! judges like any other, over tables of the prompt, within a second; its result is cut, and what the egress of the
//! endpoint does not allow is not looked at.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::texts::search;
use text2sql_domain::config::{Egress, Limits, ModelConfig, Protocol, TextEgress};
use text2sql_domain::error::Error;
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::schema::{Table, quote_identifier, quote_literal};
use text2sql_domain::sql_result::Execution;
use text2sql_models::prompt::shown_passage;
use text2sql_models::providers::{Tool, ToolCall};

/// Maximum number of values that a look shows.
const MAX_VALUES: usize = 20;

/// A column with more values than these is no list: its values are those of rows.
const MAX_OF_LIST: usize = 50;

/// Maximum number of calls of one reply that are answered.
pub const MAX_CALLS: usize = 3;

/// Maximum time of a look.
const TIME: Duration = Duration::from_secs(1);

/// Maximum length of a value and of a condition, in characters.
const MAX_VALUE_CHARS: usize = 200;
const MAX_CONDITION_CHARS: usize = 1_000;

/// The tools of a run; none where the model may not look.
pub fn tools(cx: &Run<'_>) -> Vec<Tool> {
    let ModelConfig::Endpoint(endpoint) = &cx.config.model else {
        return Vec::new();
    };
    let has_calls = matches!(endpoint.protocol, Protocol::OpenAi | Protocol::Anthropic);
    // Where a query may have to wait for approval, the data is not read to write it either.
    let may_look = cx.config.max_looks > 0
        && has_calls
        && cx.config.given_schema.is_none()
        && !cx.config.approval.applies();
    if !may_look {
        return Vec::new();
    }
    let table =
        json!({"type": "string", "description": "a table of the schema, as it is written there"});
    let mut tools = Vec::new();
    if endpoint.egress >= Egress::Values {
        tools.push(Tool {
            name: "look_at_values",
            description: "Shows values of a column.",
            parameters: parameters(json!({
                "table": table,
                "column": {"type": "string"},
                "like": {"type": "string", "description": "only values with these letters in them; empty: all"},
            })),
        });
    }
    if endpoint.egress == Egress::Rows {
        tools.push(Tool {
            name: "count_rows",
            description: "Says how many rows of a table meet a condition.",
            parameters: parameters(json!({
                "table": table,
                "condition": {"type": "string", "description": "SQL as after WHERE; empty: all rows"},
            })),
        });
    }
    if endpoint.texts == TextEgress::Passages && cx.config.texts.is_enabled {
        tools.push(Tool {
            name: "search_texts",
            description: "Finds passages of documents and texts.",
            parameters: parameters(json!({"words": {"type": "string"}})),
        });
    }
    tools
}

fn parameters(properties: Value) -> Value {
    let names = properties.as_object().into_iter().flatten();
    let required: Vec<&String> = names.map(|(name, _)| name).collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

/// What a call shows. What cannot be looked at is said in words, so that the model goes on without it.
pub fn look(
    cx: &Run<'_>,
    tables: &[Arc<Table>],
    call: &ToolCall,
    disclosed: &mut Disclosed,
) -> Result<String, Error> {
    let stage = cx.stage("look");
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
    let text = |name: &str| {
        arguments
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or("")
            .trim()
    };
    let is_offered = tools(cx).iter().any(|tool| tool.name == call.name);
    let found = match call.name.as_str() {
        _ if !is_offered => Err(format!("there is no tool {}", call.name)),
        "search_texts" => passages(cx, text("words"), disclosed)?,
        name => match named(tables, text("table")) {
            None => Err(format!(
                "the schema shown has no table \"{}\"",
                text("table")
            )),
            Some(table) if name == "count_rows" => count(cx, table, text("condition"), disclosed)?,
            Some(table) => values(cx, table, text("column"), text("like"), disclosed)?,
        },
    };
    // Arguments of a model that has seen rows may repeat them.
    let said = match disclosed.result_rows {
        0 => arguments,
        _ => json!({"table": text("table"), "column": text("column")}),
    };
    stage.end(
        json!({"tool": call.name, "arguments": said}),
        json!({"shown": found.is_ok(), "problem": found.as_ref().err()}),
    );
    Ok(found.unwrap_or_else(|problem| problem))
}

/// What is said of values that no model may see.
const PRIVATE: &str = "these values are private";

/// What is shown, or why nothing is.
type Looked = Result<String, String>;

fn named<'t>(tables: &'t [Arc<Table>], name: &str) -> Option<&'t Arc<Table>> {
    let plain = |table: &Table| quote_identifier(&table.name);
    let full = |table: &Table| format!("{}.{}", quote_identifier(&table.schema), plain(table));
    let is_meant = |table: &&Arc<Table>| {
        table.sql_name() == name || full(table) == name || plain(table) == name
    };
    let mut meant = tables.iter().filter(is_meant);
    let first = meant.next()?;
    // Of two tables of that name in two schemas neither is meant.
    meant.next().is_none().then_some(first)
}

fn values(
    cx: &Run<'_>,
    table: &Table,
    column: &str,
    like: &str,
    disclosed: &mut Disclosed,
) -> Result<Looked, Error> {
    let wanted = column.trim_matches('"');
    let Some(column) = table.columns.iter().find(|known| known.name == wanted) else {
        return Ok(Err(format!(
            "{} has no column \"{column}\"",
            table.sql_name()
        )));
    };
    let quoted = quote_identifier(&column.name);
    let shows_rows = cx.egress() == Egress::Rows;
    let pattern = format!("%{}%", like.replace(['%', '_', '\\'], "_"));
    let matching = match like {
        "" => String::new(),
        _ if !shows_rows => String::new(),
        _ => format!(" AND {quoted}::text ILIKE {}", quote_literal(&pattern)),
    };
    let sql = format!(
        "SELECT DISTINCT {quoted}::text AS value FROM {} WHERE {quoted} IS NOT NULL{matching} ORDER BY 1 LIMIT {}",
        table.sql_name(),
        MAX_OF_LIST + 1
    );
    let execution = match run(cx, &sql)? {
        Ok(execution) => execution,
        Err(problem) => return Ok(Err(problem)),
    };
    let all = execution
        .rows
        .iter()
        .filter_map(|row| row.first()?.text.as_deref());
    let is_list = execution.rows.len() <= MAX_OF_LIST && !execution.is_truncated;
    // What a prompt may show of columns with egress `values`: those that are lists.
    if !shows_rows && !is_list {
        return Ok(Err(format!(
            "{quoted} has more than {MAX_OF_LIST} values, which are not shown"
        )));
    }
    let like = like.to_lowercase();
    let matching = all.filter(|value| value.to_lowercase().contains(&like));
    let matching: Vec<String> = matching.map(cut).collect();
    let shown: Vec<String> = matching
        .iter()
        .take(MAX_VALUES)
        .map(|value| quote_literal(value))
        .collect();
    let name = format!("{}.{}", table.sql_name(), quoted);
    if !disclosed.value_columns.contains(&name) {
        disclosed.value_columns.push(name);
    }
    if !is_list {
        disclosed.result_rows += shown.len();
    }
    let rest = match matching.len() > shown.len() || !is_list {
        true => ", and others",
        false => "",
    };
    Ok(Ok(match shown.is_empty() {
        true => "no value".to_owned(),
        false => format!("{}{rest}", shown.join(", ")),
    }))
}

fn count(
    cx: &Run<'_>,
    table: &Table,
    condition: &str,
    disclosed: &mut Disclosed,
) -> Result<Looked, Error> {
    if condition.chars().count() > MAX_CONDITION_CHARS {
        return Ok(Err("the condition is too long".to_owned()));
    }
    let condition = match condition {
        "" => String::new(),
        condition => format!("\nWHERE ({condition}\n)"),
    };
    let sql = format!("SELECT count(*) FROM {}{condition}", table.sql_name());
    let execution = match run(cx, &sql)? {
        Ok(execution) => execution,
        Err(problem) => return Ok(Err(problem)),
    };
    disclosed.result_rows += 1;
    let row = execution
        .rows
        .first()
        .and_then(|row| row.first()?.text.clone());
    Ok(Ok(row.unwrap_or_default()))
}

fn passages(cx: &Run<'_>, words: &str, disclosed: &mut Disclosed) -> Result<Looked, Error> {
    if words.is_empty() || !cx.texts.has_texts()? {
        return Ok(Err("there are no texts".to_owned()));
    }
    let found = search::search(cx, words, None)?;
    let passages = found.passages.iter();
    let shown: Vec<_> = passages
        .filter(|passage| passage.may_be_sent(cx.config.model.texts()))
        .take(MAX_CALLS)
        .collect();
    disclosed
        .passages
        .extend(shown.iter().map(|passage| passage.id));
    Ok(match shown.is_empty() {
        true => Err("no passage is about it".to_owned()),
        false => Ok(shown
            .into_iter()
            .map(shown_passage)
            .collect::<Vec<_>>()
            .join("\n\n")),
    })
}

/// Runs a statement under the guard; why it did not run, without values of rows.
fn run(cx: &Run<'_>, sql: &str) -> Result<Result<Execution, String>, Error> {
    let limits = Limits {
        max_result_rows: MAX_OF_LIST + 1,
        max_result_bytes: cx.config.limits.max_result_bytes.min(64 * 1024),
        query_timeout: cx.config.limits.query_timeout.min(TIME),
        ..cx.config.limits.clone()
    };
    Ok(match cx.database.run(sql, &limits)? {
        Outcome::Passed(execution) if execution.is_private => Err(PRIVATE.to_owned()),
        Outcome::Passed(execution) => Ok(execution),
        Outcome::Rejected(rejection) => Err(rejection.reason),
        // Errors of the parser have a position. Others of class 42 were raised over a value ("syntax error in tsquery").
        Outcome::Failed(error) if error.sqlstate.starts_with("42") && error.position.is_some() => {
            Err(error.message)
        }
        // Whether it fails would be told of the values.
        Outcome::Failed(error) if error.is_private => Err(PRIVATE.to_owned()),
        Outcome::Failed(_) => Err("it cannot be looked at in time, or fails".to_owned()),
    })
}

fn cut(value: &str) -> String {
    value.chars().take(MAX_VALUE_CHARS).collect()
}
