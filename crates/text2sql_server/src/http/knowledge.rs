//! What questions can be about, and what people call it: `/schema`, `/glossary`, `/examples`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::value::RawValue;

use utoipa::IntoParams;

use super::App;
use super::body::Parameters;
use super::description::About;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

const SCHEMA: &str = include_str!("../../sql/schema.sql");
const GLOSSARY: &str = include_str!("../../sql/glossary.sql");
const EXAMPLES: &str = include_str!("../../sql/examples.sql");

/// Tables that are listed at once.
const TABLE_COUNT: u32 = 100;
/// Questions to begin with.
const EXAMPLE_COUNT: u32 = 50;

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new("Knowledge", summary);
    routes
        .get(
            "/schema",
            schema,
            about("Tables and columns that the role may read")
                .query::<Tables>()
                .gives_object(),
        )
        .get(
            "/glossary",
            glossary,
            about("Definitions, synonyms and instructions").gives_object(),
        )
        .get(
            "/examples",
            examples,
            about("Questions to begin with")
                .query::<Beginnings>()
                .gives_object(),
        )
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Tables {
    /// A word in names, comments, descriptions or synonyms.
    search: Option<String>,
    /// How many tables were listed before.
    after: Option<u32>,
    limit: Option<u32>,
}

async fn schema(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(tables): Parameters<Tables>,
) -> Result<Json<Box<RawValue>>, Problem> {
    let after = tables.after.unwrap_or(0).to_string();
    let limit = tables
        .limit
        .unwrap_or(TABLE_COUNT)
        .clamp(1, 1000)
        .to_string();
    let parameters = [
        tables.search.as_deref(),
        Some(after.as_str()),
        Some(limit.as_str()),
    ];
    Ok(Json(
        app.database.json(&identity, SCHEMA, &parameters).await?,
    ))
}

async fn glossary(
    State(app): State<Arc<App>>,
    identity: Identity,
) -> Result<Json<Box<RawValue>>, Problem> {
    Ok(Json(app.database.json(&identity, GLOSSARY, &[]).await?))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Beginnings {
    limit: Option<u32>,
}

async fn examples(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(beginnings): Parameters<Beginnings>,
) -> Result<Json<Box<RawValue>>, Problem> {
    let limit = beginnings
        .limit
        .unwrap_or(EXAMPLE_COUNT)
        .clamp(1, 500)
        .to_string();
    Ok(Json(
        app.database
            .json(&identity, EXAMPLES, &[Some(limit.as_str())])
            .await?,
    ))
}
