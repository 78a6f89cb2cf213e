//! SQL that the caller hands in: run, validated, explained, revised. It is always the argument of a function of the
//! extension, which judges it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::App;
use super::answers::{
    Causes, Findings, GeneratedSql, PlanSteps, Proposals, Revision, RowsOfQuery, Steps, Validation,
};
use super::body::Body;
use super::page_of::none_is_not_found;
use super::routes::{Reply, Routes};
use crate::given_schema::GivenSchema;
use crate::identity::Identity;
use crate::problem::Problem;

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("SQL")
        .answers::<Query, RowsOfQuery>("/run", "Run a query under the guard", RUN)
        .answers::<Query, Validation>("/validate", "Would the guard let a query run?", VALIDATE)
        .answers::<ExplainedQuery, Steps>("/explain", "What does a query do, in words?", EXPLAIN)
        .answers::<PlannedQuery, PlanSteps>(
            "/explain-plan",
            "How would PostgreSQL run a query, in words?",
            EXPLAIN_PLAN,
        )
        .answers::<Query, Proposals>("/optimize", "Could a query be faster?", OPTIMIZE)
        .answers::<TrustedQuery, Findings>(
            "/trust",
            "What speaks against the result of a query?",
            TRUST,
        )
        .answers::<Query, Causes>("/why-empty", "Why does a query return no rows?", WHY_EMPTY)
        .answers::<RevisedQuery, Revision>(
            "/revise",
            "Change a query as a person asks in words",
            REVISE,
        )
        .post(
            "/generate-sql",
            "Write a query for a schema that is not in the database",
            generate_sql,
            |about| about.takes::<GivenSchema>().gives::<GeneratedSql>(),
        )
}

const GENERATE_SQL: &str = include_str!("../../sql/generate_sql.sql");

/// `POST /generate-sql`
async fn generate_sql(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(given): Body<GivenSchema>,
) -> Reply {
    let question = given.question.as_deref().unwrap_or_default();
    GivenSchema::check(question).map_err(Problem::bad_request)?;
    let ddl = given.ddl().map_err(Problem::bad_request)?;
    let parameters = [
        Some(question),
        Some(ddl.as_str()),
        given.dialect.as_deref(),
        given.task_id.as_deref(),
    ];
    let row = app.database.json(&identity, GENERATE_SQL, &parameters);
    none_is_not_found(row.await?).map(Json)
}

/// A query.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
}

const RUN: &str = "SELECT pg_catalog.row_to_json(r)::text FROM text2sql.run_json($1::text) AS r";

const VALIDATE: &str =
    "SELECT pg_catalog.row_to_json(v)::text FROM text2sql.validate($1::text) AS v";

/// A query that is explained.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainedQuery {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
    /// One sentence in place of steps.
    #[serde(default)]
    summary: bool,
    /// `en` or `de`; else that of the session.
    #[serde(default)]
    language: Option<String>,
}

const EXPLAIN: &str = "
SELECT pg_catalog.json_build_object('steps', COALESCE(pg_catalog.json_agg(e), '[]'))::text
FROM text2sql.explain($1::text, $2::text::boolean, $3::text) AS e";

/// A query whose plan is explained.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedQuery {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
    /// Run it, and say what each step returned and how long it took.
    #[serde(default)]
    measured: bool,
}

const EXPLAIN_PLAN: &str = "
SELECT pg_catalog.json_build_object('steps', COALESCE(pg_catalog.json_agg(e), '[]'))::text
FROM text2sql.explain_plan($1::text, pg_catalog.jsonb_build_object('analyze', $2::text::boolean)) AS e";

const OPTIMIZE: &str = "
SELECT pg_catalog.json_build_object('proposals', COALESCE(pg_catalog.json_agg(o), '[]'))::text
FROM (SELECT kind, explanation, sql, cost_before, cost_after, size, caveats FROM text2sql.optimize($1::text)) AS o";

/// A query whose result is doubted.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustedQuery {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
    /// What was asked: then it is also scored how well the query fits.
    #[serde(default)]
    question: Option<String>,
}

const TRUST: &str = "
SELECT pg_catalog.json_build_object(
    'findings', (SELECT COALESCE(pg_catalog.json_agg(t), '[]') FROM text2sql.trust_report($1::text) AS t),
    'scores', CASE WHEN $2::text IS NOT NULL THEN
        (SELECT pg_catalog.json_agg(s) FROM text2sql.score($2::text, $1::text) AS s) END)::text";

const WHY_EMPTY: &str = "
SELECT pg_catalog.json_build_object('causes', COALESCE(pg_catalog.json_agg(w), '[]'))::text
FROM text2sql.why_empty($1::text) AS w";

/// A query or a script, and how it is to be changed.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevisedQuery {
    /// One SELECT, or a script of statements, which is not run.
    #[schema(min_length = 1)]
    sql: String,
    /// The change in plain language, such as "only the last three months".
    #[schema(min_length = 1)]
    request: String,
    /// Options of the call.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    options: Option<Box<RawValue>>,
}

const REVISE: &str = "
WITH r AS MATERIALIZED (
    SELECT * FROM text2sql.revise($1::text, $2::text, COALESCE($3::text::jsonb, '{}')))
SELECT pg_catalog.row_to_json(w)::text
FROM (
    SELECT r.status, r.sql, r.changes, r.diff, r.answer, r.warnings, r.clarification, r.trace_id,
           (SELECT COALESCE(pg_catalog.json_agg(pg_catalog.row_to_json(s)), '[]')
            FROM (SELECT r.statement, r.sql, r.changes, r.diff, r.warnings FROM r
                  WHERE r.statement IS NOT NULL) AS s) AS statements
    FROM r
    WHERE r.statement IS NULL) AS w";
