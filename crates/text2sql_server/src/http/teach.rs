//! `/teach/…`: what a curator says about the data.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::App;
use super::attachment::{self, Attachment};
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

const DESCRIBE: &str = "SELECT CASE WHEN $2::text IS NULL \
    THEN (SELECT '{}' FROM text2sql.forget('description', $1::text)) \
    ELSE (SELECT '{}' FROM text2sql.describe($1::text, $2::text)) END";
const DESCRIBE_VALUES: &str = "SELECT CASE WHEN $2::text IS NULL \
    THEN (SELECT '{}' FROM text2sql.forget('meanings', $1::text)) \
    ELSE (SELECT '{}' FROM text2sql.describe($1::text, meanings => $2::text::jsonb)) END";
const SET_PRIORITY: &str =
    "SELECT '{}' FROM text2sql.describe($1::text, priority => coalesce($2::text, 'normal'))";
const ADD_SYNONYMS: &str = "SELECT '{}' FROM text2sql.describe($1::text, synonyms => \
    ARRAY(SELECT pg_catalog.json_array_elements_text($2::text::json)))";
const DROP_SYNONYMS: &str = "SELECT '{}' FROM text2sql.forget('synonyms', $1::text, \
    synonyms => CASE WHEN $2::text IS NOT NULL THEN ARRAY[$2::text] END)";
const DEFINE: &str = "SELECT '{}' FROM text2sql.define(term => $1::text, meaning => $2::text, \
    sql_expression => $3::text, applies_to => $4::text, \
    synonyms => CASE WHEN $5::text IS NOT NULL THEN ARRAY(SELECT pg_catalog.json_array_elements_text($5::text::json)) END, \
    period => $6::text)";
const DROP_DEFINITION: &str = "SELECT '{}' FROM text2sql.forget('definition', $1::text, $2::text)";
const ADD_INSTRUCTION: &str = "SELECT pg_catalog.json_build_object('id', added.id)::text \
    FROM text2sql.add_instruction($1::text, $2::text, $3::text) AS added(id)";
const DROP_INSTRUCTION: &str = "SELECT '{}' FROM text2sql.forget('instruction', $1::text)";
const ADD_JOIN: &str = "SELECT pg_catalog.json_build_object('id', added.id)::text \
    FROM text2sql.add_join(ARRAY(SELECT pg_catalog.json_array_elements_text($1::text::json)), \
        ARRAY(SELECT pg_catalog.json_array_elements_text($2::text::json)), $3::text) AS added(id)";
const DROP_JOIN: &str = "SELECT '{}' FROM text2sql.forget('join', $1::text)";
const ADD_EXAMPLE: &str = "SELECT pg_catalog.json_build_object('id', added.id)::text \
    FROM text2sql.add_example($1::text, $2::text) AS added(id)";
const DROP_EXAMPLE: &str = "SELECT '{}' FROM text2sql.forget('example', $1::text)";
const SUGGEST_DESCRIPTIONS: &str = "SELECT pg_catalog.json_build_object('suggestions', \
    coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(s)), '[]'))::text \
    FROM text2sql.suggest('descriptions', ARRAY(SELECT pg_catalog.json_array_elements_text($1::text::json))) AS s";
const SUGGEST_JOINS: &str = "SELECT pg_catalog.json_build_object('joins', \
    coalesce(pg_catalog.json_agg(pg_catalog.row_to_json(j)), '[]'))::text FROM text2sql.suggest('joins') AS j";
const EXPORT: &str =
    "SELECT pg_catalog.to_json(e.knowledge)::text FROM text2sql.export_knowledge() AS e(knowledge)";

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Knowledge")
        .does_with::<Description>("/teach/describe", "Describe a table or column", DESCRIBE)
        .does_with::<Meanings>(
            "/teach/values",
            "Say what values of a column mean",
            DESCRIBE_VALUES,
        )
        .does_with::<Priority>(
            "/teach/priority",
            "Show a column to models always, or last",
            SET_PRIORITY,
        )
        .does_with::<Synonyms>(
            "/teach/synonyms",
            "Add other names of a table or column",
            ADD_SYNONYMS,
        )
        .removes_with::<Synonym>("/teach/synonyms", "Remove other names", DROP_SYNONYMS)
        .does_with::<Definition>("/teach/define", "Define a term", DEFINE)
        .removes_with::<Term>("/teach/define", "Remove a definition", DROP_DEFINITION)
        .does_with::<Instruction>(
            "/teach/instructions",
            "Add an instruction for models",
            ADD_INSTRUCTION,
        )
        .removes(
            "/teach/instructions/{id}",
            "Remove an instruction",
            DROP_INSTRUCTION,
        )
        .does_with::<Join>("/teach/joins", "Add a join that no key declares", ADD_JOIN)
        .removes("/teach/joins/{id}", "Remove a join", DROP_JOIN)
        .does_with::<Example>(
            "/teach/examples",
            "Add a question with its query",
            ADD_EXAMPLE,
        )
        .removes("/teach/examples/{id}", "Remove an example", DROP_EXAMPLE)
        .does_with::<Objects>(
            "/teach/suggest-descriptions",
            "Let a model suggest descriptions",
            SUGGEST_DESCRIPTIONS,
        )
        .does(
            "/teach/suggest-joins",
            "Look for joins that no key declares",
            SUGGEST_JOINS,
        )
        .get(
            "/teach/export",
            "All stored knowledge as a file",
            export,
            |about| about.gives_text("application/jsonl"),
        )
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Description {
    object: String,
    /// None removes the description.
    description: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Meanings {
    column_name: String,
    /// None removes the meanings.
    #[schema(value_type = Option<Object>)]
    meanings: Option<Box<RawValue>>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Priority {
    column_name: String,
    /// None restores the normal priority.
    priority: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Synonyms {
    object: String,
    synonyms: Vec<String>,
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Synonym {
    object: String,
    /// None removes all.
    synonym: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Definition {
    #[schema(min_length = 1)]
    term: String,
    meaning: Option<String>,
    sql_expression: Option<String>,
    applies_to: Option<String>,
    synonyms: Option<Vec<String>>,
    period: Option<String>,
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Term {
    term: String,
    applies_to: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Instruction {
    instruction: String,
    applies_to: Option<String>,
    role_name: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Join {
    column_names: Vec<String>,
    target_column_names: Vec<String>,
    evidence: Option<String>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Example {
    #[schema(min_length = 1)]
    question: String,
    #[schema(min_length = 1)]
    sql: String,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Objects {
    objects: Vec<String>,
}

async fn export(State(app): State<Arc<App>>, identity: Identity) -> Result<Response, Problem> {
    let knowledge = app.database.json(&identity, EXPORT, &[]).await?;
    Ok(attachment::response(Attachment {
        media_type: "application/jsonl",
        name: "knowledge.jsonl",
        content: attachment::text_of(&knowledge)?,
    }))
}
