//! Lets a model describe the result in one sentence, if its egress level allows it to see rows.
//!
//! This is a separate call without the schema, and no SQL is taken from its reply. The reply is never
//! used in another prompt. The model is asked only if the sentence with placeholders cannot be used, and
//! its sentence is shown only if the rows support it ([`text2sql_language::sentences::narration`]).

use serde_json::{Value, json};

use crate::model_side_call;
use text2sql_domain::config::{Egress, Endpoint, Profile};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::sql_result::Execution;
use text2sql_language::sentences::{self, narration};
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::{MAX_ROWS_SHOWN, render_result};

/// The endpoint that may see the rows of this result, if any.
pub fn narrator<'a>(cx: &'a Run<'_>, execution: &Execution) -> Option<&'a Endpoint> {
    let can_be_narrated =
        (1..=MAX_ROWS_SHOWN).contains(&execution.rows.len()) && !execution.is_private;
    let endpoint = cx.config.side_endpoint(&cx.config.side_models.narrator)?;
    // Our own sentence is better than that of a small model, and costs nothing.
    if endpoint.profile == Profile::Compact {
        return None;
    }
    (can_be_narrated && endpoint.egress == Egress::Rows).then_some(endpoint)
}

/// Asks `endpoint` for the sentence. `None` if the rows do not support the sentence, or if the call fails, which `notes`
/// then says: the answer does not depend on it.
pub fn narrate(
    cx: &Run<'_>,
    endpoint: &Endpoint,
    understanding: &Understanding,
    execution: &Execution,
    notes: &mut Vec<String>,
) -> Result<Option<String>, Error> {
    let prompt = render_result(&cx.config.owner.prompts, understanding, execution);
    let reply = match model_side_call::ask(cx, endpoint, "narrate", prompt, json_schema())? {
        Ok(reply) => reply,
        Err(error) => {
            notes.push(format!(
                "no model has put the rows into a sentence: {}",
                error.message()
            ));
            return Ok(None);
        }
    };
    let (columns, rows) = (&execution.columns, &execution.rows);
    let is_supported = |sentence: &String| {
        let is_truncated = execution.is_truncated;
        narration::is_supported(sentence, understanding, columns, rows, is_truncated)
    };
    Ok(read(&reply).filter(is_supported))
}

fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["sentence"],
        "properties": {"sentence": {"type": "string"}}
    })
}

/// The sentence in a reply, as a single line. One with braces is a template that nobody has filled.
fn read(text: &str) -> Option<String> {
    let start = text.find('{')?;
    let mut values = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let sentence = sentences::strip_markup(value.get("sentence")?.as_str()?);
    Some(sentence).filter(|sentence| !sentence.is_empty() && !sentence.contains(['{', '}']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_sentence_anywhere_in_the_reply() {
        for (reply, expect) in [
            (r#"{"sentence": "Two rows."}"#, Some("Two rows.")),
            (
                "```json\n{\"sentence\": \"Two [rows](http://x.example/y).\"}\n```",
                Some("Two rows."),
            ),
            (r#"{"sentence": ""}"#, None),
            (r#"{"sentence": "{row_count} rows."}"#, None),
            ("Two rows.", None),
            ("{", None),
        ] {
            assert_eq!(read(reply).as_deref(), expect, "{reply}");
        }
    }
}
