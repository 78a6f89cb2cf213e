//! What whole completions and their chunks have in common.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::problem::Problem;

/// The only model: which one writes SQL is a setting of the database.
pub(super) const MODEL: &str = "text2sql";

/// The answer that a row of `text2sql.ask` is.
pub(super) fn read(row: &RawValue) -> Result<Answer, Problem> {
    Answer::read(row).map_err(|error| Problem::unavailable(format!("unexpected result: {error}")))
}

/// Tokens are counted by the database, in the history; the questions of a front end cost none here.
pub(super) fn usage() -> Value {
    json!({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0})
}

/// A problem as the object `error` of this API.
pub(super) fn error(problem: &Problem) -> Value {
    let kind = match problem.status {
        400..=499 => "invalid_request_error",
        _ => "server_error",
    };
    let hint = problem
        .hint
        .as_deref()
        .map(|hint| format!("\n{hint}"))
        .unwrap_or_default();
    json!({"message": format!("{}{hint}", problem.title), "type": kind, "code": problem.sqlstate, "param": null})
}
