//! SQL that the caller hands in: run, validated, explained, revised. It is always the argument of a function of the
//! extension, which judges it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::App;
use super::answers::{Causes, Findings, PlanSteps, Revision, RowsOfQuery, Steps, Validation};
use super::body::Body;
use super::description::About;
use super::routes::Routes;
use crate::identity::Identity;
use crate::problem::Problem;

type Answer = Result<Json<Box<RawValue>>, Problem>;

const TAG: &str = "SQL";

/// The routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new(TAG, summary);
    routes
        .post(
            "/run",
            run,
            about("Run a query under the guard")
                .takes::<Query>()
                .gives::<RowsOfQuery>(),
        )
        .post(
            "/validate",
            validate,
            about("Would the guard let a query run?")
                .takes::<Query>()
                .gives::<Validation>(),
        )
        .post(
            "/explain",
            explain,
            about("What does a query do, in words?")
                .takes::<ExplainedQuery>()
                .gives::<Steps>(),
        )
        .post(
            "/explain-plan",
            explain_plan,
            about("How would PostgreSQL run a query, in words?")
                .takes::<PlannedQuery>()
                .gives::<PlanSteps>(),
        )
        .post(
            "/trust",
            trust,
            about("What speaks against the result of a query?")
                .takes::<TrustedQuery>()
                .gives::<Findings>(),
        )
        .post(
            "/why-empty",
            why_empty,
            about("Why does a query return no rows?")
                .takes::<Query>()
                .gives::<Causes>(),
        )
        .post(
            "/revise",
            revise,
            about("Change a query as a person asks in words")
                .takes::<RevisedQuery>()
                .gives::<Revision>(),
        )
}

/// A query.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// One SELECT.
    #[schema(min_length = 1)]
    sql: String,
}

const RUN: &str = "SELECT pg_catalog.row_to_json(r)::text FROM text2sql.run_json($1::text) AS r";

async fn run(State(app): State<Arc<App>>, identity: Identity, Body(query): Body<Query>) -> Answer {
    app.answer(&identity, RUN, &[Some(&query.sql)]).await
}

const VALIDATE: &str =
    "SELECT pg_catalog.row_to_json(v)::text FROM text2sql.validate($1::text) AS v";

async fn validate(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<Query>,
) -> Answer {
    app.answer(&identity, VALIDATE, &[Some(&query.sql)]).await
}

/// A query that is explained.
#[derive(Deserialize, ToSchema)]
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

async fn explain(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<ExplainedQuery>,
) -> Answer {
    let summary = query.summary.to_string();
    let parameters = [
        Some(query.sql.as_str()),
        Some(&summary),
        query.language.as_deref(),
    ];
    app.answer(&identity, EXPLAIN, &parameters).await
}

/// A query whose plan is explained.
#[derive(Deserialize, ToSchema)]
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

async fn explain_plan(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<PlannedQuery>,
) -> Answer {
    let measured = query.measured.to_string();
    app.answer(
        &identity,
        EXPLAIN_PLAN,
        &[Some(&query.sql), Some(&measured)],
    )
    .await
}

/// A query whose result is doubted.
#[derive(Deserialize, ToSchema)]
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
SELECT pg_catalog.json_build_object('findings', COALESCE(pg_catalog.json_agg(t), '[]'), 'scores', NULL)::text
FROM text2sql.trust_report($1::text) AS t";

const TRUST_AND_SCORE: &str = "
SELECT pg_catalog.json_build_object(
    'findings', (SELECT COALESCE(pg_catalog.json_agg(t), '[]') FROM text2sql.trust_report($1::text) AS t),
    'scores', (SELECT pg_catalog.json_agg(s) FROM text2sql.score($2::text, $1::text) AS s))::text";

async fn trust(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<TrustedQuery>,
) -> Answer {
    match &query.question {
        None => app.answer(&identity, TRUST, &[Some(&query.sql)]).await,
        Some(question) => {
            app.answer(
                &identity,
                TRUST_AND_SCORE,
                &[Some(&query.sql), Some(question)],
            )
            .await
        }
    }
}

const WHY_EMPTY: &str = "
SELECT pg_catalog.json_build_object('causes', COALESCE(pg_catalog.json_agg(w), '[]'))::text
FROM text2sql.why_empty($1::text) AS w";

async fn why_empty(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<Query>,
) -> Answer {
    app.answer(&identity, WHY_EMPTY, &[Some(&query.sql)]).await
}

/// A query or a script, and how it is to be changed.
#[derive(Deserialize, ToSchema)]
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

async fn revise(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(query): Body<RevisedQuery>,
) -> Answer {
    let options = query.options.as_deref().map(RawValue::get);
    app.answer(
        &identity,
        REVISE,
        &[Some(&query.sql), Some(&query.request), options],
    )
    .await
}
