//! `/waiting`: what waits for a curator or an approver, and the decisions. A role that may not teach sees its own
//! queries that wait for approval.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use utoipa::ToSchema;

use super::App;
use super::body::{Body, Part};
use super::description::About;
use super::routes::Routes;
use super::who_am_i;
use crate::database::Parameter;
use crate::identity::Identity;
use crate::problem::Problem;

const APPROVALS: &str = include_str!("../../sql/waiting/approvals.sql");
const EXAMPLES: &str = include_str!("../../sql/waiting/examples.sql");
const FEEDBACK: &str = include_str!("../../sql/waiting/feedback.sql");
const SUGGESTIONS: &str = include_str!("../../sql/waiting/suggestions.sql");
const JOINS: &str = include_str!("../../sql/waiting/joins.sql");

const VERIFY: &str = "SELECT '{}' FROM text2sql.accept('example', $1::text::bigint)";
const UNVERIFY: &str = "SELECT '{}' FROM text2sql.reject('example', $1::text::bigint)";
const REJECT_EXAMPLE: &str = "SELECT '{}' FROM text2sql.forget('example', $1::text)";
const CHECK: &str = "SELECT pg_catalog.row_to_json(c)::text FROM text2sql.check_examples(ids => ARRAY[$1::text::bigint]) AS c";
const ACCEPT_SUGGESTION: &str = "SELECT pg_catalog.row_to_json(s)::text FROM (\
    SELECT s.id, s.object, text2sql.accept('suggestion', given.id) AS outcome \
      FROM (SELECT $1::text::bigint AS id) AS given LEFT JOIN text2sql.suggestions AS s USING (id)) AS s";
const REJECT_SUGGESTION: &str = "SELECT '{}' FROM text2sql.reject('suggestion', $1::text::bigint)";
const ACCEPT_JOIN: &str = "SELECT '{}' FROM text2sql.accept('join', $1::text::bigint)";
const REJECT_JOIN: &str = "SELECT '{}' FROM text2sql.reject('join', $1::text::bigint)";
const APPROVE: &str =
    "SELECT '{}' FROM text2sql.approve($1::text::bigint, coalesce($2::text::boolean, false))";
const REJECT: &str = "SELECT '{}' FROM text2sql.reject('query', $1::text::bigint, $2::text)";

type Reply = Result<Json<Box<RawValue>>, Problem>;

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    let about = |summary| About::new("Decisions", summary);
    routes
        .get(
            "/waiting",
            list,
            about("What waits for a curator or an approver").gives_object(),
        )
        .post(
            "/waiting/examples/{id}/verify",
            verify,
            about("Verify an example")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/examples/{id}/unverify",
            unverify,
            about("Take the verification back")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/examples/{id}/reject",
            reject_example,
            about("Delete an example")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/examples/{id}/check",
            check,
            about("Let a model say whether an example's query fits its question")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/suggestions/{id}/accept",
            accept_suggestion,
            about("Accept a suggestion")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/suggestions/{id}/reject",
            reject_suggestion,
            about("Reject a suggestion")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/joins/{id}/accept",
            accept_join,
            about("Accept a join")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/joins/{id}/reject",
            reject_join,
            about("Reject a join")
                .path_number("id", "Its id")
                .gives_object(),
        )
        .post(
            "/waiting/approvals/{id}/approve",
            approve,
            about("Approve a query")
                .path_number("id", "Its id")
                .takes::<Approval>()
                .gives_object(),
        )
        .post(
            "/waiting/approvals/{id}/reject",
            reject,
            about("Reject a query")
                .path_number("id", "Its id")
                .takes::<Rejection>()
                .gives_object(),
        )
}

/// What waits. A part is absent where the role has no say in it.
#[derive(Serialize)]
struct Waiting {
    approvals: Box<RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    examples: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestions: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    joins: Option<Box<RawValue>>,
}

async fn list(State(app): State<Arc<App>>, identity: Identity) -> Result<Json<Waiting>, Problem> {
    let may = who_am_i::rights(&app, &identity).await?;
    let part = |statement| app.database.json(&identity, statement, &[]);
    let approvals = part(APPROVALS).await?;
    let mut waiting = Waiting {
        approvals,
        examples: None,
        feedback: None,
        suggestions: None,
        joins: None,
    };
    if may.teach {
        waiting.examples = Some(part(EXAMPLES).await?);
        waiting.feedback = Some(part(FEEDBACK).await?);
        waiting.suggestions = Some(part(SUGGESTIONS).await?);
        waiting.joins = Some(part(JOINS).await?);
    }
    Ok(Json(waiting))
}

async fn decide(
    app: &App,
    identity: &Identity,
    statement: &str,
    parameters: &[Parameter<'_>],
) -> Reply {
    Ok(Json(
        app.database.json(identity, statement, parameters).await?,
    ))
}

async fn verify(State(app): State<Arc<App>>, identity: Identity, Part(id): Part<String>) -> Reply {
    decide(&app, &identity, VERIFY, &[Some(&id)]).await
}

async fn unverify(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    decide(&app, &identity, UNVERIFY, &[Some(&id)]).await
}

async fn reject_example(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    decide(&app, &identity, REJECT_EXAMPLE, &[Some(&id)]).await
}

async fn check(State(app): State<Arc<App>>, identity: Identity, Part(id): Part<String>) -> Reply {
    decide(&app, &identity, CHECK, &[Some(&id)]).await
}

async fn accept_suggestion(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    decide(&app, &identity, ACCEPT_SUGGESTION, &[Some(&id)]).await
}

async fn reject_suggestion(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    decide(&app, &identity, REJECT_SUGGESTION, &[Some(&id)]).await
}

async fn accept_join(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    decide(&app, &identity, ACCEPT_JOIN, &[Some(&id)]).await
}

async fn reject_join(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
) -> Reply {
    decide(&app, &identity, REJECT_JOIN, &[Some(&id)]).await
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Approval {
    as_example: bool,
}

async fn approve(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
    Body(approval): Body<Approval>,
) -> Reply {
    let as_example = approval.as_example.to_string();
    decide(&app, &identity, APPROVE, &[Some(&id), Some(&as_example)]).await
}

#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Rejection {
    reason: Option<String>,
}

async fn reject(
    State(app): State<Arc<App>>,
    identity: Identity,
    Part(id): Part<String>,
    Body(rejection): Body<Rejection>,
) -> Reply {
    decide(
        &app,
        &identity,
        REJECT,
        &[Some(&id), rejection.reason.as_deref()],
    )
    .await
}
