//! `text2sql.preview_prompt(question)`: what would be sent, without sending it.

use pgrx::prelude::*;

use crate::pg::error::{ErrorReport, report};
use crate::question;

/// The prompt that `ask` would send for a question to the model that is set, word for word.
#[pg_extern(volatile, parallel_unsafe)]
fn preview_prompt(question: Option<&str>) -> Result<String, ErrorReport> {
    let prompt = question::preview(question).map_err(report)?;
    Ok(format!(
        "system:\n{}\n\nuser:\n{}",
        prompt.system, prompt.user
    ))
}
