//! `/admin/…`: models, the search index, budgets, roles, cost and evaluations, as far as the rights of the role reach.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use serde::Deserialize;
use serde_json::value::RawValue;

use utoipa::{IntoParams, ToSchema};

use super::App;
use super::attachment::{self, Attachment};
use super::body::{Body, Parameters, Part};
use super::description::About;
use super::page_of::none_is_not_found;
use super::routes::Routes;
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
const REFRESH: &str = "CALL text2sql.refresh()";
const SET_BUDGET: &str = "SELECT '{}' FROM text2sql.set_budget($1::text, questions_per_day => $2::text::integer, \
    tokens_per_day => $3::text::bigint, cost_per_day => $4::text::numeric, currency => coalesce($5::text, 'USD'))";
const REPORT: &str = "SELECT pg_catalog.to_json(r.page)::text FROM text2sql_eval.report($1::text::bigint) AS r(page)";

/// The page of a report is not of this server's page: it has styles in it, and nothing else may run or be loaded. The
/// sandbox gives it an origin of its own, so that it reaches neither the cookie nor this address.
const REPORT_POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// Evaluations that are listed.
const EVALUATION_COUNT: u32 = 100;
/// Days over which cost is added up.
const DAYS: u32 = 30;

type Reply = Result<Json<Box<RawValue>>, Problem>;

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new("Administration", summary);
    routes
        .get(
            "/admin/models",
            models,
            about("Models, and whether they are ready").gives_object(),
        )
        .post(
            "/admin/models/{name}/test",
            test_model,
            about("Ask a model for a word")
                .path_parameter("name", "Its name")
                .gives_object(),
        )
        .get(
            "/admin/status",
            status,
            about("State of the extension and of the search index").gives_object(),
        )
        .post(
            "/admin/refresh",
            refresh,
            about("Bring the search index up to date").gives_object(),
        )
        .get(
            "/admin/budgets",
            budgets,
            about("Budgets, and how much of them is used").gives_object(),
        )
        .post(
            "/admin/budgets",
            set_budget,
            about("Set the budget of a role")
                .takes::<Budget>()
                .gives_object(),
        )
        .get(
            "/admin/roles",
            roles,
            about("Who may ask, teach, approve and evaluate").gives_object(),
        )
        .post(
            "/admin/roles/{right}",
            grant,
            about("Give a role a right")
                .path_parameter("right", "usage, curator, approver or evaluation")
                .takes::<Grantee>()
                .gives_object(),
        )
        .delete(
            "/admin/roles/{right}",
            revoke,
            about("Take a right from a role")
                .path_parameter("right", "usage, curator, approver or evaluation")
                .query::<Grantee>()
                .gives_object(),
        )
        .get(
            "/admin/usage",
            usage,
            about("Questions, tokens and cost by role, day and model")
                .query::<Days>()
                .gives_object(),
        )
        .get(
            "/admin/evaluations",
            evaluations,
            about("Runs of evaluations").gives_object(),
        )
        .get(
            "/admin/evaluations/{id}/report",
            report,
            about("Report of a run, a page")
                .path_number("id", "Its id")
                .query::<Shown>()
                .gives_text("text/html"),
        )
}

async fn models(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    Ok(Json(app.database.json(&identity, MODELS, &[]).await?))
}

async fn test_model(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(name): Part<String>,
) -> Reply {
    let tested = app
        .database
        .json(&identity, TEST_MODEL, &[Some(&name)])
        .await?;
    Ok(Json(none_is_not_found(tested)?))
}

async fn status(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    Ok(Json(app.database.json(&identity, STATUS, &[]).await?))
}

async fn refresh(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    app.database.call_procedure(&identity, REFRESH).await?;
    Ok(Json(app.database.json(&identity, STATUS, &[]).await?))
}

async fn budgets(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    Ok(Json(app.database.json(&identity, BUDGETS, &[]).await?))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Budget {
    role_name: String,
    questions_per_day: Option<u32>,
    tokens_per_day: Option<u64>,
    /// A decimal number as text, so that no cent is lost.
    cost_per_day: Option<String>,
    currency: Option<String>,
}

async fn set_budget(
    State(app): State<Arc<App>>,
    identity: Identity,
    Body(budget): Body<Budget>,
) -> Reply {
    let questions = budget.questions_per_day.map(|number| number.to_string());
    let tokens = budget.tokens_per_day.map(|number| number.to_string());
    let parameters = [
        Some(budget.role_name.as_str()),
        questions.as_deref(),
        tokens.as_deref(),
        budget.cost_per_day.as_deref(),
        budget.currency.as_deref(),
    ];
    Ok(Json(
        app.database
            .json(&identity, SET_BUDGET, &parameters)
            .await?,
    ))
}

async fn roles(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    Ok(Json(app.database.json(&identity, ROLES, &[]).await?))
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

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Days {
    days: Option<u32>,
}

async fn usage(
    State(app): State<Arc<App>>,
    identity: Identity,
    Parameters(days): Parameters<Days>,
) -> Reply {
    let days = days.days.unwrap_or(DAYS).clamp(1, 3660).to_string();
    Ok(Json(
        app.database.json(&identity, USAGE, &[Some(&days)]).await?,
    ))
}

async fn evaluations(State(app): State<Arc<App>>, identity: Identity) -> Reply {
    let limit = EVALUATION_COUNT.to_string();
    Ok(Json(
        app.database
            .json(&identity, EVALUATIONS, &[Some(&limit)])
            .await?,
    ))
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
