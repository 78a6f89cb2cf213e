//! Requests that no route answers.

use axum::http::StatusCode;

use crate::problem::Problem;

/// No route has this path.
pub(super) async fn no_such_route() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "there is no such route")
        .with_hint("GET /api/v1/openapi.json lists the routes.")
}

/// The route does not have this method.
pub(super) async fn wrong_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "the route does not have this method",
    )
    .with_hint("GET /api/v1/openapi.json lists the routes with their methods.")
}
