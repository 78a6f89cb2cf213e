//! `text2sql.preview_prompt(question)`: what would be sent, without sending it.

use pgrx::prelude::*;
use text2sql_core::pipeline;

use crate::pg::error::{ErrorReport, report};
use crate::question;
use crate::settings::Overrides;

/// The prompt that `ask` would send for a question to the model that is set, word for word.
#[pg_extern(volatile, parallel_unsafe)]
fn preview_prompt(question: Option<&str>) -> Result<String, ErrorReport> {
    let question = question::required(question).map_err(report)?;
    let (prompt, _) = question::run(&Overrides::default(), false, |run| {
        pipeline::preview(run, &question)
    })
    .map_err(report)?;
    Ok(format!(
        "system:\n{}\n\nuser:\n{}",
        prompt.system, prompt.user
    ))
}
