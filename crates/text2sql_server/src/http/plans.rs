//! Questions that are not answered yet: in which steps that would be done, with which SQL, what a model would be sent,
//! and a view in place of rows.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::App;
use super::answers::{CreatedView, Plan, Prompt, WrittenSql};
use super::body::Body;
use super::description::About;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;
use crate::questions::Question;

type Answer = Result<Json<Box<RawValue>>, Problem>;

const TAG: &str = "Questions";

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new(TAG, summary);
    routes
        .post(
            "/plan",
            plan,
            about("In which steps would a question be answered?")
                .takes::<Question>()
                .gives::<Plan>(),
        )
        .post(
            "/to-sql",
            to_sql,
            about("With which SQL would a question be answered?")
                .takes::<Question>()
                .gives::<WrittenSql>(),
        )
        .post(
            "/preview",
            preview,
            about("What would a model be sent?")
                .takes::<Question>()
                .gives::<Prompt>(),
        )
        .post(
            "/view",
            view,
            about("Make a view of the answer to a question")
                .takes::<QuestionForView>()
                .gives::<CreatedView>(),
        )
}

const PLAN: &str = "
SELECT pg_catalog.json_build_object('plan', COALESCE(pg_catalog.json_agg(p), '[]'))::text
FROM text2sql.plan($1::text, $2::text, COALESCE($3::text::jsonb, '{}')) AS p";

async fn plan(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(question): Body<Question>,
) -> Answer {
    app.answer(&identity, PLAN, &question.parameters()).await
}

const TO_SQL: &str = "
SELECT pg_catalog.json_build_object(
    'sql', text2sql.to_sql($1::text, $2::text, COALESCE($3::text::jsonb, '{}')))::text";

async fn to_sql(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(question): Body<Question>,
) -> Answer {
    app.answer(&identity, TO_SQL, &question.parameters()).await
}

const PREVIEW: &str = "
SELECT pg_catalog.json_build_object(
    'prompt', text2sql.preview_prompt($1::text, $2::text, COALESCE($3::text::jsonb, '{}')))::text";

async fn preview(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(question): Body<Question>,
) -> Answer {
    app.answer(&identity, PREVIEW, &question.parameters()).await
}

/// A question whose answer becomes a view.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionForView {
    /// The question in plain language.
    #[schema(min_length = 1)]
    question: String,
    /// Name of the view, perhaps with its schema.
    #[schema(min_length = 1)]
    name: String,
    /// The conversation that it continues.
    #[serde(default)]
    conversation: Option<String>,
    /// Options of the call.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    options: Option<Box<RawValue>>,
}

const VIEW: &str = "
SELECT pg_catalog.json_build_object(
    'view', text2sql.ask_view($1::text, $2::text, $3::text, COALESCE($4::text::jsonb, '{}')))::text";

async fn view(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(asked): Body<QuestionForView>,
) -> Answer {
    let options = asked.options.as_deref().map(RawValue::get);
    let parameters = [
        Some(asked.question.as_str()),
        Some(&asked.name),
        asked.conversation.as_deref(),
        options,
    ];
    app.answer(&identity, VIEW, &parameters).await
}
