//! What an agent can read by address: the tables that its role may read, one table, a conversation, and all rows of a
//! result.

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, ListResourceTemplatesResult, ListResourcesResult, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use uuid::Uuid;

use super::agent::Agent;
use super::data::marked;
use super::tables;
use crate::answer::Answer;
use crate::problem::Problem;

const CONVERSATION: &str = include_str!("../../sql/conversation_export.sql");
const ROWS: &str = "SELECT row_to_json(r)::text FROM text2sql.run_json($1::text) AS r";

/// Lists differ from role to role, so nobody may share them.
pub(super) const CACHE: CacheScope = CacheScope::Private;

pub(super) fn list() -> ListResourcesResult {
    let tables = Resource::new("text2sql://schema", "tables")
        .with_description("The tables that you may read, a line each.")
        .with_mime_type("text/plain");
    let mut result = ListResourcesResult::with_all_items(vec![tables]);
    result.cache_scope = Some(CACHE);
    result
}

pub(super) fn templates() -> ListResourceTemplatesResult {
    let template = |uri: &str, name: &str, description: &str, kind: &str| {
        ResourceTemplate::new(uri, name)
            .with_description(description)
            .with_mime_type(kind)
    };
    let mut result = ListResourceTemplatesResult::with_all_items(vec![
        template(
            "text2sql://table/{name}",
            "table",
            "Columns, keys, comments and meanings of a table.",
            "application/json",
        ),
        template(
            "text2sql://conversation/{name}",
            "conversation",
            "The questions of one of your conversations.",
            "application/json",
        ),
        template(
            "text2sql://result/{id}.csv",
            "result",
            "All rows of a result, run again for the reader.",
            "text/csv",
        ),
    ]);
    result.cache_scope = Some(CACHE);
    result
}

pub(super) async fn read(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || ErrorData::resource_not_found(format!("there is no resource \"{uri}\""), None);
    let path = uri.strip_prefix("text2sql://").ok_or_else(unknown)?;
    let (kind, name) = path.split_once('/').unwrap_or((path, ""));
    let name = percent_encoding::percent_decode_str(name)
        .decode_utf8()
        .map_err(|_| unknown())?;
    let contents = match (kind, name.as_ref()) {
        ("schema", "") => {
            let lines = tables::in_lines(agent, context).await.map_err(error)?;
            ResourceContents::text(marked(&lines), uri).with_mime_type("text/plain")
        }
        ("table", name) if !name.is_empty() => {
            let found = tables::named(agent, context, name).await.map_err(error)?;
            if found.is_empty() {
                return Err(unknown());
            }
            ResourceContents::text(Value::Array(found).to_string(), uri)
                .with_mime_type("application/json")
        }
        ("conversation", name) if !name.is_empty() => {
            let turns = agent
                .json(context, CONVERSATION, &[Some(name)])
                .await
                .map_err(error)?;
            ResourceContents::text(turns.get(), uri).with_mime_type("application/json")
        }
        ("result", file) => {
            let id = file
                .strip_suffix(".csv")
                .and_then(|id| Uuid::parse_str(id).ok())
                .ok_or_else(unknown)?;
            let sql = agent.linked_sql(id).ok_or_else(unknown)?;
            let rows = agent
                .json(context, ROWS, &[Some(&sql)])
                .await
                .map_err(error)?;
            let answer = Answer::read(&rows).map_err(|fault| unexpected(&fault))?;
            ResourceContents::text(answer.csv().map_err(|fault| unexpected(&fault))?, uri)
                .with_mime_type("text/csv")
        }
        _ => return Err(unknown()),
    };
    let mut result = ReadResourceResult::new(vec![contents]);
    result.cache_scope = Some(CACHE);
    Ok(result)
}

fn error(problem: Problem) -> ErrorData {
    let hint = problem
        .hint
        .as_deref()
        .map(|hint| format!("\n{hint}"))
        .unwrap_or_default();
    ErrorData::invalid_params(format!("{}{hint}", problem.title), None)
}

fn unexpected(fault: &dyn std::error::Error) -> ErrorData {
    ErrorData::internal_error(format!("unexpected result: {fault}"), None)
}
