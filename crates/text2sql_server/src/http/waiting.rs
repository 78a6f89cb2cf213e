//! `/waiting`: what waits for a curator or an approver, and the decisions. A role that may not teach sees its own
//! queries that wait for approval.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use utoipa::ToSchema;

use super::App;
use super::routes::Routes;
use super::who_am_i;
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
const APPROVE: &str = "SELECT '{}' FROM text2sql.accept('query', $1::text::bigint, coalesce($2::text::boolean, false))";
const REJECT: &str = "SELECT '{}' FROM text2sql.reject('query', $1::text::bigint, $2::text)";

/// Routes of this family.
pub fn routes(routes: Routes) -> Routes {
    routes
        .family("Decisions")
        .get(
            "/waiting",
            "What waits for a curator or an approver",
            list,
            |about| about.gives_object(),
        )
        .does("/waiting/examples/{id}/verify", "Verify an example", VERIFY)
        .does(
            "/waiting/examples/{id}/unverify",
            "Take the verification back",
            UNVERIFY,
        )
        .does(
            "/waiting/examples/{id}/reject",
            "Delete an example",
            REJECT_EXAMPLE,
        )
        .does(
            "/waiting/examples/{id}/check",
            "Let a model say whether an example's query fits its question",
            CHECK,
        )
        .does(
            "/waiting/suggestions/{id}/accept",
            "Accept a suggestion",
            ACCEPT_SUGGESTION,
        )
        .does(
            "/waiting/suggestions/{id}/reject",
            "Reject a suggestion",
            REJECT_SUGGESTION,
        )
        .does("/waiting/joins/{id}/accept", "Accept a join", ACCEPT_JOIN)
        .does("/waiting/joins/{id}/reject", "Reject a join", REJECT_JOIN)
        .does_with::<Approval>(
            "/waiting/approvals/{id}/approve",
            "Approve a query",
            APPROVE,
        )
        .does_with::<Rejection>("/waiting/approvals/{id}/reject", "Reject a query", REJECT)
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

#[derive(Default, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Approval {
    as_example: bool,
}

#[derive(Default, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Rejection {
    reason: Option<String>,
}
