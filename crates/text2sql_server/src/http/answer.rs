//! `POST /answer`: the answer to a question whose query has been approved.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::App;
use super::answers::{AnswerRow, QuestionEvent};
use super::around::RequestId;
use super::ask::respond;
use super::body::Body;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

/// The route.
pub fn routes(routes: Routes) -> Routes {
    routes.family("Questions").post(
        "/answer",
        "The answer to a question whose query was approved",
        answer,
        |about| {
            about
                .takes::<Approved>()
                .gives::<AnswerRow>()
                .streams::<QuestionEvent>()
        },
    )
}

/// A query that waited for approval.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Approved {
    /// The id of the approval.
    id: i64,
    /// Options of the call.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    options: Option<Box<RawValue>>,
}

const ANSWER: &str = "
SELECT pg_catalog.row_to_json(a)::text
FROM text2sql.answer($1::text::bigint, COALESCE($2::text::jsonb, '{}')) AS a";

async fn answer(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    request: RequestId,
    identity: Identity,
    Body(approved): Body<Approved>,
) -> Result<Response, Problem> {
    let parameters = vec![
        Some(approved.id.to_string()),
        approved.options.map(|options| options.get().to_owned()),
    ];
    let events = app.questions.stream(identity, ANSWER, parameters)?;
    respond(&headers, request, events).await
}
