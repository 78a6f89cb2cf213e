//! `/conversations`: what the role asked in conversations, to be read back, continued, named, saved and deleted.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use utoipa::{IntoParams, ToSchema};

use super::App;
use super::attachment::{self, Attachment};
use super::body::Part;
use super::page_of::{AtMost, PageOf, none_is_not_found};
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

const LIST: &str = include_str!("../../sql/conversations.sql");
const TURNS: &str = include_str!("../../sql/conversation.sql");
/// No row where the conversation has no turns: one of another role looks like one that never was.
const EXPORT: &str = concat!(
    include_str!("../../sql/conversation_export.sql"),
    "HAVING pg_catalog.count(*) > 0"
);
const LABEL: &str = "SELECT '{}' FROM text2sql._keep(pg_catalog.json_build_object('conversation', \
    pg_catalog.json_build_object('name', $1::text, 'title', $2::text, 'is_pinned', $3::text::boolean))::text) AS kept(rows) \
    WHERE kept.rows > 0";
const DROP: &str = "SELECT pg_catalog.count(*)::text FROM text2sql.forget('conversation', $1::text) \
    HAVING pg_catalog.count(*) > 0";

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    const NAMED: &str = "/conversations/{name}";
    const EXPORTED: &str = "/conversations/{name}/export";
    routes
        .family("Conversations")
        .reads_with::<Listed>("/conversations", "Own conversations, newest first", LIST)
        .reads_with::<PageOf>(NAMED, "Turns of a conversation", TURNS)
        .does_with::<Label>(NAMED, "Name a conversation, and pin it", LABEL)
        .delete(NAMED, "Delete a conversation", remove, |about| {
            about.gives_nothing()
        })
        .get(EXPORTED, "A conversation as a file", export, |about| {
            about.gives_text("application/json")
        })
}

/// Which conversations are listed.
#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// Words that the title or a question of the conversation contains.
    search: Option<String>,
    /// The `last_turn_id` below which the list begins.
    before: Option<String>,
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    limit: AtMost<50, 500>,
}

/// What the role calls a conversation.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Label {
    /// None: its first question is its name.
    title: Option<String>,
    /// Whether it stands above the others.
    is_pinned: bool,
}

async fn remove(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(name): Part<String>,
) -> Result<StatusCode, Problem> {
    let dropped = app
        .database
        .json(&identity, DROP, &[Some(name.as_str())])
        .await?;
    none_is_not_found(dropped)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn export(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(name): Part<String>,
) -> Result<Response, Problem> {
    let exported = app
        .database
        .json(&identity, EXPORT, &[Some(name.as_str())])
        .await?;
    let exported = none_is_not_found(exported)?;
    Ok(attachment::response(Attachment {
        media_type: "application/json",
        name: &format!("{name}.json"),
        content: exported.get().to_owned(),
    }))
}
