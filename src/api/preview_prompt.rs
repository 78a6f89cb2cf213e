//! `text2sql.preview_prompt(question, conversation, options)`: the prompt for a question, without sending it.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::server::entry::{Call, entry_point, text_result};
use crate::pg::server::error::Raised;
use crate::question::options::QUESTION;
use crate::question::{self, Request};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.preview_prompt(question text, conversation text DEFAULT NULL, options jsonb DEFAULT '{}')
    RETURNS text
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_preview_prompt';
"#,
    name = "preview_prompt"
);
entry_point!(preview_prompt);

/// Renders exactly the prompt that `ask` would send to the current model, and below it the one about texts.
fn preview_prompt(call: &Call) -> Result<Datum, Raised> {
    let request = Request::read(call, "preview_prompt", 1, &QUESTION)?;
    let prompts = question::preview(&request)?;
    let texts: Vec<String> = prompts
        .iter()
        .map(|prompt| format!("system:\n{}\n\nuser:\n{}", prompt.system, prompt.user))
        .collect();
    text_result(&texts.join("\n\n"))
}
