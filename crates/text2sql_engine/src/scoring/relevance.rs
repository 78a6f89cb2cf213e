//! Asks the model how well a result answers the question, if enabled.
//!
//! This is a separate call without the schema, and no SQL is taken from its reply. The prompt contains
//! the question, the query, its columns and the number of rows; rows only if the endpoint's egress level
//! allows them. The reply has a limited weight in the score, and its text is shown only to the user and
//! the model that wrote the query.

use serde_json::{Value, json};

use crate::conversation::masked;
use crate::model_side_call;
use text2sql_domain::config::Egress;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::score::Relevance;
use text2sql_domain::sql_result::Execution;
use text2sql_language::sentences;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::render_relevance;

/// Maximum length of a reason, in characters.
const MAX_REASON_CHARS: usize = 300;

/// Asks the judge of this run. `None` if there is none, if the reply cannot be read, or if the call fails, which `notes`
/// then says: the answer does not depend on it.
pub fn judge_relevance(
    cx: &Run<'_>,
    understanding: &Understanding,
    sql: &str,
    execution: &Execution,
    notes: &mut Vec<String>,
) -> Result<Option<Relevance>, Error> {
    let Some(endpoint) = cx.config.side_endpoint(&cx.config.side_models.judge) else {
        return Ok(None);
    };
    // The writer may have seen values that the judge may not see.
    let sql = match cx.egress() <= endpoint.egress {
        true => Some(sql.to_owned()),
        false => masked(sql, &understanding.text().to_lowercase(), false),
    };
    let Some(sql) = sql else {
        return Ok(None);
    };
    let shows_rows = endpoint.egress == Egress::Rows && !execution.is_private;
    let prompt = render_relevance(
        &cx.config.owner.prompts,
        understanding,
        &sql,
        execution,
        shows_rows,
    );
    let reply = model_side_call::ask(cx, endpoint, "relevance", prompt, json_schema())?;
    if let Err(error) = &reply {
        notes.push(format!(
            "no model has judged how well the rows answer the question: {}",
            error.message()
        ));
    }
    let relevance = reply.ok().as_deref().and_then(read);
    // The judge may see rows that the writer may not.
    Ok(relevance.map(|relevance| Relevance {
        is_for_asker_only: shows_rows && cx.egress() < Egress::Rows,
        ..relevance
    }))
}

/// The form of the reply.
pub fn json_schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["relevance", "reason"],
        "properties": {"relevance": {"type": "number"}, "reason": {"type": "string"}}
    })
}

/// A relevance from 0 to 1 with its reason.
pub fn read(text: &str) -> Option<Relevance> {
    let start = text.find('{')?;
    let mut values = serde_json::Deserializer::from_str(text.get(start..)?).into_iter::<Value>();
    let value = values.next()?.ok()?;
    let score = value.get("relevance")?.as_f64()?;
    let reason = value
        .get("reason")
        .and_then(Value::as_str)
        .unwrap_or_default();
    (0.0..=1.0).contains(&score).then(|| Relevance {
        score,
        reason: sentences::strip_markup(reason)
            .chars()
            .take(MAX_REASON_CHARS)
            .collect(),
        is_for_asker_only: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_only_a_number_from_0_to_1() {
        let found =
            read("```json\n{\"relevance\": 0.4, \"reason\": \"Countries, not cities.\"}\n```");
        let found = found.expect("a relevance");
        assert_eq!(
            (found.score, found.reason.as_str()),
            (0.4, "Countries, not cities.")
        );
        for reply in [
            "",
            "{",
            "0.9",
            r#"{"relevance": 7}"#,
            r#"{"relevance": "high"}"#,
        ] {
            assert_eq!(read(reply), None, "{reply}");
        }
    }
}
