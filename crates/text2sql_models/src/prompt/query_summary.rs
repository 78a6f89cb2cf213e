//! Asks a model to summarise the explanation of a statement.

use std::sync::Arc;

use super::prompt_text::Prompt;
use super::template::{self, fill};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::exchange::Disclosed;
use text2sql_domain::schema::Table;

const SUMMARY: &str = template::prompt_file!("prompts/summary.md");
const SUMMARY_STEPS: &str = template::prompt_file!("prompts/summary_steps.md");

/// Renders the prompt for a summary. Values that must not be sent are masked in the steps already.
///
/// Each step is a line: its clause and what the clause does.
pub fn render_summary(steps: &[String], tables: &[Arc<Table>], language: &str) -> Prompt {
    let lines: Vec<String> = steps.iter().map(|step| without_disguise(step)).collect();
    let steps = lines.join("\n");
    Prompt {
        system: fill(SUMMARY, &[("language", language)]),
        user: fill(
            SUMMARY_STEPS,
            &[("fence", &fence_for(&[&steps])), ("steps", &steps)],
        ),
        disclosed: Disclosed {
            tables: tables.iter().map(|table| table.sql_name()).collect(),
            ..Disclosed::default()
        },
        ..Prompt::default()
    }
}
