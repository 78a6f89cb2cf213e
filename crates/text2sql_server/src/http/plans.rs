//! Questions that are not answered yet: in which steps that would be done, with which SQL, what a model would be sent,
//! and a view in place of rows.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::answers::{CreatedView, Plan, Prompt, WrittenSql};
use super::routes::Routes;
use crate::questions::Question;

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Questions")
        .answers::<Question, Plan>(
            "/plan",
            "In which steps would a question be answered?",
            PLAN,
        )
        .answers::<Question, WrittenSql>(
            "/to-sql",
            "With which SQL would a question be answered?",
            TO_SQL,
        )
        .answers::<Question, Prompt>("/preview", "What would a model be sent?", PREVIEW)
        .answers::<QuestionForView, CreatedView>(
            "/view",
            "Make a view of the answer to a question",
            VIEW,
        )
}

const PLAN: &str = "
SELECT pg_catalog.json_build_object('plan', COALESCE(pg_catalog.json_agg(p), '[]'))::text
FROM text2sql.plan($1::text, $2::text, COALESCE($3::text::jsonb, '{}')) AS p";

const TO_SQL: &str = "
SELECT pg_catalog.json_build_object(
    'sql', text2sql.to_sql($1::text, $2::text, COALESCE($3::text::jsonb, '{}')))::text";

const PREVIEW: &str = "
SELECT pg_catalog.json_build_object(
    'prompt', text2sql.preview_prompt($1::text, $2::text, COALESCE($3::text::jsonb, '{}')))::text";

/// A question whose answer becomes a view.
#[derive(Deserialize, Serialize, ToSchema)]
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
