//! `/admin/…`: models, the search index, budgets, roles, cost and evaluations, as far as the rights of the role reach.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use utoipa::{IntoParams, ToSchema};

use super::App;
use super::attachment::{self, Attachment};
use super::body::{Body, Parameters, Part};
use super::page_of::{AtMost, none_is_not_found};
use super::routes::{Reply, Routes};
use crate::identity::Identity;
use crate::problem::Problem;

const MODELS: &str = include_str!("../../sql/admin/models.sql");
const STATUS: &str = include_str!("../../sql/admin/status.sql");
const BUDGETS: &str = include_str!("../../sql/admin/budgets.sql");
const ROLES: &str = include_str!("../../sql/admin/roles.sql");
const USAGE: &str = include_str!("../../sql/admin/usage.sql");
const EVALUATIONS: &str = include_str!("../../sql/admin/evaluations.sql");

const TEST_MODEL: &str =
    "SELECT pg_catalog.row_to_json(t)::text FROM text2sql.test_model($1::text) AS t";
const ADD_MODEL: &str = "SELECT '{}' FROM text2sql.add_model($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, \
    coalesce($7::text::jsonb, '{}'), users => ARRAY(SELECT pg_catalog.jsonb_array_elements_text(coalesce($8::text::jsonb, '[]'))))";
const CHANGE_MODEL: &str = "SELECT '{}' FROM text2sql.add_model($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, \
    coalesce($7::text::jsonb, '{}'), change => true, users => CASE WHEN $8::text IS NOT NULL \
    THEN ARRAY(SELECT pg_catalog.jsonb_array_elements_text($8::text::jsonb)) END)";
const REMOVE_MODEL: &str =
    "SELECT pg_catalog.row_to_json(f)::text FROM text2sql.forget('model', $1::text) AS f";
const REFRESH: &str = "CALL text2sql.refresh()";
const SET_BUDGET: &str = "SELECT '{}' FROM text2sql.set_budget($1::text, questions_per_day => $2::text::integer, \
    tokens_per_day => $3::text::bigint, cost_per_day => $4::text::numeric, currency => coalesce($5::text, 'USD'))";
const REPORT: &str = "SELECT pg_catalog.to_json(r.page)::text FROM text2sql_eval.report($1::text::bigint) AS r(page)";

/// The page of a report is not of this server's page: it has styles in it, and nothing else may run or be loaded. The
/// sandbox gives it an origin of its own, so that it reaches neither the cookie nor this address.
const REPORT_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    const ROLES_OF: &str = "/admin/roles/{right}";
    const REPORT_OF: &str = "/admin/evaluations/{id}/report";
    routes
        .family("Administration")
        .reads(
            "/admin/models",
            "Models, and whether they are ready",
            MODELS,
        )
        .does_with::<NewModel>("/admin/models", "Add a model", ADD_MODEL)
        .does_with::<ModelSettings>(
            "/admin/models/{name}",
            "Change a model: what is not given stays",
            CHANGE_MODEL,
        )
        .removes("/admin/models/{name}", "Remove a model", REMOVE_MODEL)
        .does(
            "/admin/models/{name}/test",
            "Ask a model for a word",
            TEST_MODEL,
        )
        .reads(
            "/admin/status",
            "State of the extension and of the search index",
            STATUS,
        )
        .post(
            "/admin/refresh",
            "Bring the search index up to date",
            refresh,
            |about| about.gives_object(),
        )
        .reads(
            "/admin/budgets",
            "Budgets, and how much of them is used",
            BUDGETS,
        )
        .does_with::<Budget>("/admin/budgets", "Set the budget of a role", SET_BUDGET)
        .reads(
            "/admin/roles",
            "Who may ask, teach, approve and evaluate",
            ROLES,
        )
        .post(ROLES_OF, "Give a role a right", grant, |about| {
            about.takes::<Grantee>().gives_object()
        })
        .delete(ROLES_OF, "Take a right from a role", revoke, |about| {
            about.query::<Grantee>().gives_object()
        })
        .reads_with::<Days>(
            "/admin/usage",
            "Questions, tokens and cost by role, day and model",
            USAGE,
        )
        .reads("/admin/evaluations", "Runs of evaluations", EVALUATIONS)
        .get(REPORT_OF, "Report of a run, a page", report, |about| {
            about.query::<Shown>().gives_text("text/html")
        })
}

async fn refresh(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    app.database.call_procedure(&identity, REFRESH).await?;
    Ok(Json(app.database.json(&identity, STATUS, &[]).await?))
}

/// The arguments of `add_model`. There is no key among them, but the name of its file.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewModel {
    name: String,
    /// `openai`, `anthropic`, `local`, `embeddings` or `rerank`.
    protocol: String,
    base_url: Option<String>,
    /// Its name at the endpoint.
    model_name: Option<String>,
    /// A file on the database's server.
    api_key_file: Option<String>,
    /// `schema`, `values` or `rows`.
    egress: Option<String>,
    /// Further options of a model.
    options: Option<Map<String, Value>>,
    /// The roles that may use it; `public` stands for all.
    users: Option<Vec<String>>,
}

/// What changes.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ModelSettings {
    protocol: Option<String>,
    base_url: Option<String>,
    model_name: Option<String>,
    api_key_file: Option<String>,
    egress: Option<String>,
    /// Further options; one that is null goes.
    options: Option<Map<String, Value>>,
    users: Option<Vec<String>>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Budget {
    role_name: String,
    questions_per_day: Option<u32>,
    tokens_per_day: Option<u64>,
    /// A decimal number as text, so that no cent is lost.
    cost_per_day: Option<String>,
    currency: Option<String>,
}

/// A level of access.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Right {
    Usage,
    Curator,
    Approver,
    Evaluation,
}

impl Right {
    fn level(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Curator => "curator",
            Self::Approver => "approver",
            Self::Evaluation => "evaluation",
        }
    }
}

const GRANT: &str = "SELECT '{}' FROM text2sql.grant_access($1::text, $2::text)";
const REVOKE: &str = "SELECT '{}' FROM text2sql.revoke_access($1::text, $2::text)";

#[derive(Deserialize, ToSchema, IntoParams)]
#[serde(deny_unknown_fields)]
struct Grantee {
    role_name: String,
}

async fn grant(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(right): Part<Right>,
    Body(grantee): Body<Grantee>,
) -> Reply {
    Ok(Json(
        app.database
            .json(
                &identity,
                GRANT,
                &[Some(&grantee.role_name), Some(right.level())],
            )
            .await?,
    ))
}

async fn revoke(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(right): Part<Right>,
    Parameters(grantee): Parameters<Grantee>,
) -> Reply {
    Ok(Json(
        app.database
            .json(
                &identity,
                REVOKE,
                &[Some(&grantee.role_name), Some(right.level())],
            )
            .await?,
    ))
}

#[derive(Deserialize, Serialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Days {
    #[serde(default)]
    #[param(value_type = Option<u32>)]
    days: AtMost<30, 3660>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Shown {
    /// Whether a browser saves the report instead of showing it.
    download: Option<bool>,
}

async fn report(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
    Parameters(shown): Parameters<Shown>,
) -> Result<Response, Problem> {
    let report = app.database.json(&identity, REPORT, &[Some(&id)]).await?;
    let page = attachment::text_of(&none_is_not_found(report)?)?;
    let mut response = if shown.download == Some(true) {
        attachment::response(Attachment {
            media_type: "text/html; charset=utf-8",
            name: &format!("evaluation-{id}.html"),
            content: page,
        })
    } else {
        Html(page).into_response()
    };
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(REPORT_POLICY),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
