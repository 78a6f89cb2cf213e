//! What was asked and what left the server: `/history`, `/egress`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::value::RawValue;

use utoipa::IntoParams;

use super::App;
use super::body::Parameters;
use super::description::About;
use super::page_of::PageOf;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

const HISTORY: &str = include_str!("../../sql/history.sql");
const EGRESS: &str = include_str!("../../sql/egress.sql");
/// Entries of a page.
const ENTRIES: u32 = 50;

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new("Records", summary);
    routes
        .get(
            "/history",
            history,
            about("Own questions, newest first")
                .query::<Asked>()
                .gives_object(),
        )
        .get(
            "/egress",
            egress,
            about("What was sent to models for own questions")
                .query::<PageOf>()
                .gives_object(),
        )
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Whether the questions of others are listed, too, as far as row-level security shows them.
    everybody: Option<bool>,
    /// `asked_at` of the last question of the page before.
    before: Option<String>,
    limit: Option<u32>,
}

async fn history(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(asked): Parameters<Asked>,
) -> Result<Json<Box<RawValue>>, Problem> {
    let everybody = asked.everybody.unwrap_or(false).to_string();
    let limit = asked.limit.unwrap_or(ENTRIES).clamp(1, 500).to_string();
    let parameters = [
        Some(everybody.as_str()),
        asked.before.as_deref(),
        Some(limit.as_str()),
    ];
    Ok(Json(
        app.database.json(&identity, HISTORY, &parameters).await?,
    ))
}

async fn egress(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(page): Parameters<PageOf>,
) -> Result<Json<Box<RawValue>>, Problem> {
    let limit = page.limit_or(ENTRIES);
    let parameters = [page.before.as_deref(), Some(limit.as_str())];
    Ok(Json(
        app.database.json(&identity, EGRESS, &parameters).await?,
    ))
}
