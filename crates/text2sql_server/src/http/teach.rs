//! `/teach/…`: what a curator says about the data. Each route is one call of the function of the extension, whose
//! privileges decide who may.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use serde_json::value::RawValue;

use utoipa::{IntoParams, ToSchema};

use super::App;
use super::attachment::{self, Attachment};
use super::body::{Body, Parameters, Part};
use super::description::About;
use super::routes::Routes;
use crate::database::Parameter;
use crate::identity::Identity;
use crate::problem::Problem;

const DESCRIBE: &str = "SELECT '{}' FROM text2sql.describe($1::text, $2::text)";
const DROP_DESCRIPTION: &str = "SELECT '{}' FROM text2sql.forget('description', $1::text)";
const DESCRIBE_VALUES: &str =
    "SELECT '{}' FROM text2sql.describe($1::text, meanings => $2::text::jsonb)";
const DROP_MEANINGS: &str = "SELECT '{}' FROM text2sql.forget('meanings', $1::text)";
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

type Reply = Result<Json<Box<RawValue>>, Problem>;

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new("Knowledge", summary);
    routes
        .post(
            "/teach/describe",
            describe,
            about("Describe a table or column")
                .takes::<Description>()
                .gives_object(),
        )
        .post(
            "/teach/values",
            describe_values,
            about("Say what values of a column mean")
                .takes::<Meanings>()
                .gives_object(),
        )
        .post(
            "/teach/priority",
            set_priority,
            about("Show a column to models always, or last")
                .takes::<Priority>()
                .gives_object(),
        )
        .post(
            "/teach/synonyms",
            add_synonyms,
            about("Add other names of a table or column")
                .takes::<Synonyms>()
                .gives_object(),
        )
        .delete(
            "/teach/synonyms",
            drop_synonyms,
            about("Remove other names")
                .query::<Synonym>()
                .gives_object(),
        )
        .post(
            "/teach/define",
            define,
            about("Define a term").takes::<Definition>().gives_object(),
        )
        .delete(
            "/teach/define",
            drop_definition,
            about("Remove a definition").query::<Term>().gives_object(),
        )
        .post(
            "/teach/instructions",
            add_instruction,
            about("Add an instruction for models")
                .takes::<Instruction>()
                .gives_object(),
        )
        .delete(
            "/teach/instructions/{id}",
            drop_instruction,
            about("Remove an instruction")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/teach/joins",
            add_join,
            about("Add a join that no key declares")
                .takes::<Join>()
                .gives_object(),
        )
        .delete(
            "/teach/joins/{id}",
            drop_join,
            about("Remove a join")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/teach/examples",
            add_example,
            about("Add a question with its query")
                .takes::<Example>()
                .gives_object(),
        )
        .delete(
            "/teach/examples/{id}",
            drop_example,
            about("Remove an example")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/teach/suggest-descriptions",
            suggest_descriptions,
            about("Let a model suggest descriptions")
                .takes::<Objects>()
                .gives_object(),
        )
        .post(
            "/teach/suggest-joins",
            suggest_joins,
            about("Look for joins that no key declares").gives_object(),
        )
        .get(
            "/teach/export",
            export,
            about("All stored knowledge as a file").gives_text("application/jsonl"),
        )
}

async fn call(
    app: &App,
    identity: &Identity,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Reply {
    Ok(Json(
        app.database.json(identity, statement, parameters).await?,
    ))
}

/// A list as the statements take it: a JSON array as text.
fn listed(list: &[String]) -> String {
    serde_json::Value::from(list).to_string()
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Description {
    object: String,
    /// None removes the description.
    description: Option<String>,
}

async fn describe(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Description>,
) -> Reply {
    match &said.description {
        None => call(&app, &identity, DROP_DESCRIPTION, &[Some(&said.object)]).await,
        text => {
            let parameters = [Some(said.object.as_str()), text.as_deref()];
            call(&app, &identity, DESCRIBE, &parameters).await
        }
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Meanings {
    column_name: String,
    /// None removes the meanings.
    #[schema(value_type = Option<Object>)]
    meanings: Option<Box<RawValue>>,
}

async fn describe_values(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Meanings>,
) -> Reply {
    let column = said.column_name.as_str();
    match said.meanings.as_deref().map(RawValue::get) {
        None => call(&app, &identity, DROP_MEANINGS, &[Some(column)]).await,
        meanings => call(&app, &identity, DESCRIBE_VALUES, &[Some(column), meanings]).await,
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Priority {
    column_name: String,
    /// None restores the normal priority.
    priority: Option<String>,
}

async fn set_priority(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Priority>,
) -> Reply {
    call(
        &app,
        &identity,
        SET_PRIORITY,
        &[Some(&said.column_name), said.priority.as_deref()],
    )
    .await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Synonyms {
    object: String,
    synonyms: Vec<String>,
}

async fn add_synonyms(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Synonyms>,
) -> Reply {
    call(
        &app,
        &identity,
        ADD_SYNONYMS,
        &[Some(&said.object), Some(&listed(&said.synonyms))],
    )
    .await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Synonym {
    object: String,
    /// None removes all.
    synonym: Option<String>,
}

async fn drop_synonyms(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(said): Parameters<Synonym>,
) -> Reply {
    call(
        &app,
        &identity,
        DROP_SYNONYMS,
        &[Some(&said.object), said.synonym.as_deref()],
    )
    .await
}

#[derive(Deserialize, ToSchema)]
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

async fn define(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Definition>,
) -> Reply {
    let synonyms = said.synonyms.as_deref().map(listed);
    let parameters = [
        Some(said.term.as_str()),
        said.meaning.as_deref(),
        said.sql_expression.as_deref(),
        said.applies_to.as_deref(),
        synonyms.as_deref(),
        said.period.as_deref(),
    ];
    call(&app, &identity, DEFINE, &parameters).await
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Term {
    term: String,
    applies_to: Option<String>,
}

async fn drop_definition(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(said): Parameters<Term>,
) -> Reply {
    call(
        &app,
        &identity,
        DROP_DEFINITION,
        &[Some(&said.term), said.applies_to.as_deref()],
    )
    .await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Instruction {
    instruction: String,
    applies_to: Option<String>,
    role_name: Option<String>,
}

async fn add_instruction(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Instruction>,
) -> Reply {
    let parameters = [
        Some(said.instruction.as_str()),
        said.applies_to.as_deref(),
        said.role_name.as_deref(),
    ];
    call(&app, &identity, ADD_INSTRUCTION, &parameters).await
}

async fn drop_instruction(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    call(&app, &identity, DROP_INSTRUCTION, &[Some(&id)]).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Join {
    column_names: Vec<String>,
    target_column_names: Vec<String>,
    evidence: Option<String>,
}

async fn add_join(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Join>,
) -> Reply {
    let (columns, targets) = (
        listed(&said.column_names),
        listed(&said.target_column_names),
    );
    call(
        &app,
        &identity,
        ADD_JOIN,
        &[Some(&columns), Some(&targets), said.evidence.as_deref()],
    )
    .await
}

async fn drop_join(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    call(&app, &identity, DROP_JOIN, &[Some(&id)]).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Example {
    #[schema(min_length = 1)]
    question: String,
    #[schema(min_length = 1)]
    sql: String,
}

async fn add_example(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Example>,
) -> Reply {
    call(
        &app,
        &identity,
        ADD_EXAMPLE,
        &[Some(&said.question), Some(&said.sql)],
    )
    .await
}

async fn drop_example(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    call(&app, &identity, DROP_EXAMPLE, &[Some(&id)]).await
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Objects {
    objects: Vec<String>,
}

async fn suggest_descriptions(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(said): Body<Objects>,
) -> Reply {
    call(
        &app,
        &identity,
        SUGGEST_DESCRIPTIONS,
        &[Some(&listed(&said.objects))],
    )
    .await
}

async fn suggest_joins(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    call(&app, &identity, SUGGEST_JOINS, &[]).await
}

async fn export(State(app): State<Arc<App>>, identity: Identity) -> Result<Response, Problem> {
    let knowledge = app.database.json(&identity, EXPORT, &[]).await?;
    Ok(attachment::response(Attachment {
        media_type: "application/jsonl",
        name: "knowledge.jsonl",
        content: attachment::text_of(&knowledge)?,
    }))
}
