//! The tables that a role may read, as questions see them.

use rmcp::service::{RequestContext, RoleServer};
use serde::Deserialize;
use serde_json::Value;

use super::agent::Agent;
use crate::problem::Problem;

const TABLES: &str = include_str!("../../sql/schema.sql");
/// More tables than an agent should read; `find` is for those who have more.
const MOST_LISTED: &str = "500";
/// Tables whose name, comment or columns contain the name of the one that is wanted.
const MOST_SEARCHED: &str = "200";

#[derive(Deserialize)]
struct Page {
    tables: Vec<Value>,
    more: bool,
}

/// A line for each table: its name and its comment.
pub(super) async fn in_lines(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
) -> Result<String, Problem> {
    let page = read(agent, context, None, MOST_LISTED).await?;
    let mut lines = String::new();
    for table in &page.tables {
        lines.push_str(text(table, "object"));
        if let Some(comment) = table.get("comment").and_then(Value::as_str) {
            lines.push_str(&format!(": {}", comment.replace(char::is_control, " ")));
        }
        lines.push('\n');
    }
    if page.more {
        lines.push_str("… and more: call find with a question.\n");
    }
    Ok(lines)
}

/// The tables of this name; more than one where schemas have tables of the same name.
pub(super) async fn named(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
    name: &str,
) -> Result<Vec<Value>, Problem> {
    let wanted = plain(name);
    let last = wanted.rsplit('.').next().unwrap_or_default();
    let page = read(agent, context, Some(last), MOST_SEARCHED).await?;
    let is_wanted = |table: &Value| {
        let (schema, name) = (text(table, "schema"), text(table, "name"));
        plain(name) == wanted || plain(&format!("{schema}.{name}")) == wanted
    };
    Ok(page.tables.into_iter().filter(is_wanted).collect())
}

async fn read(
    agent: &Agent,
    context: &RequestContext<RoleServer>,
    word: Option<&str>,
    most: &str,
) -> Result<Page, Problem> {
    let json = agent
        .json(context, TABLES, &[word, None, Some(most)])
        .await?;
    serde_json::from_str(json.get())
        .map_err(|error| Problem::unavailable(format!("unexpected result: {error}")))
}

fn text<'a>(table: &'a Value, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A name without quotes and case: agents write names in every way.
fn plain(name: &str) -> String {
    name.replace('"', "").to_lowercase()
}
