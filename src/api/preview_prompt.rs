//! `text2sql.preview_prompt(question, conversation, options)`: what would be sent, without sending it.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point, text_result};
use crate::pg::error::Raised;
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
entry_point!(
    text2sql_preview_prompt,
    pg_finfo_text2sql_preview_prompt,
    preview_prompt
);

/// Renders the prompt that `ask` would send for a question to the model that is set, word for word.
fn preview_prompt(call: &Call) -> Result<Datum, Raised> {
    let request = Request::read(call, "preview_prompt", 1, &QUESTION)?;
    let prompt = question::preview(&request)?;
    text_result(&format!(
        "system:\n{}\n\nuser:\n{}",
        prompt.system, prompt.user
    ))
}
