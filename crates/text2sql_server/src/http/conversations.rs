//! `/conversations`: what the role asked in conversations, to be read back, continued, saved and deleted.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;

use utoipa::IntoParams;

use super::App;
use super::attachment::{self, Attachment};
use super::body::{Parameters, Part};
use super::description::About;
use super::page_of::{PageOf, none_is_not_found};
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

const LIST: &str = include_str!("../../sql/conversations.sql");
const TURNS: &str = include_str!("../../sql/conversation.sql");
/// No row where the conversation has no turns: one of another role looks like one that never was.
const EXPORT: &str = "SELECT e.exported::text FROM text2sql.export_conversation($1::text) AS e(exported) \
    WHERE pg_catalog.json_array_length(e.exported OPERATOR(pg_catalog.->) 'turns'::text) > 0";
const DROP: &str = "SELECT pg_catalog.count(*)::text FROM text2sql.forget('conversation', $1::text) \
    HAVING pg_catalog.count(*) > 0";

/// Conversations of a list.
const LIST_LENGTH: u32 = 50;
/// Turns of a conversation that are read back at once.
const TURN_COUNT: u32 = 50;

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new("Conversations", summary);
    routes
        .get(
            "/conversations",
            list,
            about("Own conversations, newest first")
                .query::<Listed>()
                .gives_object(),
        )
        .get(
            "/conversations/{name}",
            turns,
            about("Turns of a conversation")
                .path_parameter("name", "Its name")
                .query::<PageOf>()
                .gives_object(),
        )
        .delete(
            "/conversations/{name}",
            remove,
            about("Delete a conversation")
                .path_parameter("name", "Its name")
                .gives_nothing(),
        )
        .get(
            "/conversations/{name}/export",
            export,
            about("A conversation as a file")
                .path_parameter("name", "Its name")
                .gives_text("application/json"),
        )
}

/// Which conversations are listed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// Words that a question of the conversation contains.
    search: Option<String>,
    /// The `last_turn_id` below which the list begins.
    before: Option<String>,
    limit: Option<u32>,
}

async fn list(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(listed): Parameters<Listed>,
) -> Result<Json<Box<RawValue>>, Problem> {
    let limit = listed
        .limit
        .unwrap_or(LIST_LENGTH)
        .clamp(1, 500)
        .to_string();
    let parameters = [
        listed.search.as_deref(),
        listed.before.as_deref(),
        Some(limit.as_str()),
    ];
    Ok(Json(app.database.json(&identity, LIST, &parameters).await?))
}

async fn turns(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(name): Part<String>,
    Parameters(page): Parameters<PageOf>,
) -> Result<Json<Box<RawValue>>, Problem> {
    let limit = page.limit_or(TURN_COUNT);
    let parameters = [
        Some(name.as_str()),
        page.before.as_deref(),
        Some(limit.as_str()),
    ];
    let turns = app.database.json(&identity, TURNS, &parameters).await?;
    Ok(Json(none_is_not_found(turns)?))
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
