//! `/healthz` and `/readyz`: for whatever watches over servers. They say nothing of the database but that it answers.

use std::sync::Arc;

use axum::extract::State;

use super::App;
use crate::problem::Problem;

/// The process runs.
pub async fn healthz() -> &'static str {
    "ok\n"
}

/// The database answers.
pub async fn readyz(State(app): State<Arc<App>>) -> Result<&'static str, Problem> {
    app.database.is_ready().await?;
    Ok("ok\n")
}
