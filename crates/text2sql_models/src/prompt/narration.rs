//! Asks a model to state a result in a sentence.

use super::prompt_text::Prompt;
use super::replaceable::{NARRATE, RESULT};
use super::result_rows::{MAX_ROWS_SHOWN, first_rows};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::own_prompts::OwnPrompts;
use text2sql_domain::sql_result::Execution;
use text2sql_language::understanding::Understanding;

/// Renders the prompt for a sentence that states the result.
pub fn render_result(
    own: &OwnPrompts,
    understanding: &Understanding,
    execution: &Execution,
) -> Prompt {
    let rows = first_rows(execution);
    let columns: Vec<String> = execution
        .columns
        .iter()
        .map(|column| without_disguise(&column.name))
        .collect();
    let columns = serde_json::Value::from(columns).to_string();
    let extent = match execution.is_truncated {
        true => format!("the first {} rows of more", execution.rows.len()),
        false => format!("{} rows, all there are", execution.rows.len()),
    };
    let question = without_disguise(understanding.text());
    let fence = fence_for(&[&rows, &question]);
    Prompt {
        system: NARRATE.fill(own, &[]),
        user: RESULT.fill(
            own,
            &[
                ("fence", &fence),
                ("question", &question),
                ("columns", &columns),
                ("rows", &rows),
                ("extent", &extent),
            ],
        ),
        disclosed: Disclosed {
            tables: execution.relations.clone(),
            result_rows: execution.rows.len().min(MAX_ROWS_SHOWN),
            ..Disclosed::default()
        },
        ..Prompt::default()
    }
}
