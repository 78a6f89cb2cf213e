//! `/feedback`: whether an answer was right, and what would have been.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::App;
use super::answers::GivenFeedback;
use super::body::{Body, LARGE, Part};
use super::routes::{Reply, Routes};
use crate::identity::Identity;
use crate::problem::Problem;

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Feedback")
        .post(
            "/feedback",
            "Say whether an answer was right",
            give,
            |about| about.takes::<Feedback>().gives::<GivenFeedback>(),
        )
        .delete("/feedback/{trace_id}", "Withdraw it", withdraw, |about| {
            about
                .path_parameter("trace_id", "The question in the history")
                .gives_nothing()
        })
}

/// What a person thinks of an answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Feedback {
    /// The question in the history.
    trace_id: String,
    /// `right` or `wrong`.
    verdict: String,
    /// The query that would have been right.
    #[serde(default)]
    corrected_sql: Option<String>,
    /// Anything else.
    #[serde(default)]
    comment: Option<String>,
}

const GIVE: &str = "
SELECT pg_catalog.json_build_object(
    'example_id', text2sql.add_feedback($1::text::uuid, $2::text, $3::text, $4::text))::text";

async fn give(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(feedback): Body<Feedback, LARGE>,
) -> Reply {
    let parameters = [
        Some(feedback.trace_id.as_str()),
        Some(&feedback.verdict),
        feedback.corrected_sql.as_deref(),
        feedback.comment.as_deref(),
    ];
    Ok(Json(app.database.json(&identity, GIVE, &parameters).await?))
}

const WITHDRAW: &str =
    "SELECT pg_catalog.to_json(f.outcome)::text FROM text2sql.forget('feedback', $1::text) AS f";

async fn withdraw(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(trace_id): Part<String>,
) -> Result<StatusCode, Problem> {
    app.database
        .json(&identity, WITHDRAW, &[Some(&trace_id)])
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
