//! Results of tools, as agents read them.

use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::mcp::agent::Agent;
use crate::mcp::data::marked;
use crate::problem::Problem;

/// Maximum number of rows in structured content; the link leads to all of them.
const STRUCTURED_ROWS: usize = 50;

/// Longest message of a failure, in characters: PostgreSQL quotes the value that it could not read.
const LONGEST_FAILURE: usize = 4_000;

/// The result of a query for an agent: text to read, structured content, and a link to all rows where some are left
/// out.
pub(super) fn answered(agent: &Agent, sql: Option<&str>, answer: &Answer) -> CallToolResult {
    let mut content = vec![ContentBlock::text(marked(&answer.readable()))];
    if let Some(sql) = sql.filter(|_| answer.has_more_rows()) {
        let name = answer.linked_rows();
        let link = Resource::new(agent.link(sql), name).with_mime_type("text/csv");
        content.push(ContentBlock::ResourceLink(link));
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = Some(answer.structured(STRUCTURED_ROWS));
    result
}

/// JSON of the database as structured content and as text: clients without the former read the latter.
pub(super) fn structured(json: &RawValue) -> CallToolResult {
    let mut result = readable(json.get());
    result.structured_content = serde_json::from_str(json.get()).ok();
    result
}

pub(super) fn readable(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(marked(text))])
}

/// A table that is not there and one that the caller may not read are the same.
pub(super) fn described(name: &str, found: &[Value]) -> CallToolResult {
    if found.is_empty() {
        return failed(
            &Problem::bad_request(format!(
                "table \"{name}\" does not exist, or you may not read it"
            ))
            .with_hint("Call find with a question to see the tables that fit it."),
        );
    }
    let tables = json!({"tables": found});
    let mut result = readable(&tables.to_string());
    result.structured_content = Some(tables);
    result
}

/// What went wrong, as the agent reads it.
pub(super) fn failed(problem: &Problem) -> CallToolResult {
    let mut text = problem.title.clone();
    for (name, part) in [
        ("SQLSTATE", &problem.sqlstate),
        ("detail", &problem.detail),
        ("hint", &problem.hint),
    ] {
        if let Some(part) = part {
            text.push_str(&format!("\n{name}: {part}"));
        }
    }
    if let Some(position) = problem.position {
        text.push_str(&format!("\nposition: {position}"));
    }
    if let Some((end, _)) = text.char_indices().nth(LONGEST_FAILURE) {
        text.truncate(end);
        text.push_str("… (cut)");
    }
    // Messages of PostgreSQL name objects and quote the query, both of which may be hostile.
    CallToolResult::error(vec![ContentBlock::text(marked(&text))])
}
