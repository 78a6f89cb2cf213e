//! Asks a model whether the SQL of an example answers its question.

use std::sync::Arc;

use super::glossary;
use super::prompt_text::Prompt;
use super::schema_text::{disclose, render_schema};
use super::template::{self, fill};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::{Definition, Table};

const CHECK_EXAMPLE: &str = template::prompt_file!("prompts/check_example.md");
const CHECK_EXAMPLE_PAIR: &str = template::prompt_file!("prompts/check_example_pair.md");

/// Renders the prompt for the check of a question and its SQL.
pub fn render_check(
    (question, sql): (&str, &str),
    tables: &[Arc<Table>],
    definitions: &[Definition],
    egress: Egress,
    budget: usize,
    server_version: &str,
) -> Prompt {
    let (schema, shown) = render_schema(tables, egress, budget);
    let definitions = glossary::definitions(definitions, tables);
    let question = without_disguise(question);
    let sql: Vec<String> = sql.lines().map(without_disguise).collect();
    let sql = sql.join("\n");
    let fence = fence_for(&[&schema, &definitions, &question, &sql]);
    Prompt {
        disclosed: disclose(tables.iter().take(shown).map(AsRef::as_ref), egress),
        system: fill(CHECK_EXAMPLE, &[("server_version", server_version)]),
        user: fill(
            CHECK_EXAMPLE_PAIR,
            &[
                ("fence", &fence),
                ("schema", &schema),
                ("definitions", &glossary::section(&definitions, &fence)),
                ("question", &question),
                ("sql", &sql),
            ],
        ),
        ..Prompt::default()
    }
}
