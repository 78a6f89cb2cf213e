//! Asks a model how a question would be answered: its own instructions above the same schema, knowledge and
//! question as for the query.

use super::instructions::section as owners_instructions;
use super::prompt_text::Prompt;
use super::question::render;
use super::replaceable::PLAN;
use super::schema_text::shown_tables;
use text2sql_domain::config::Config;
use text2sql_domain::schema::Table;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Renders the prompt for a plan of at most `max_steps` steps.
pub fn render_plan(
    understanding: &Understanding,
    context: &Context,
    config: &Config,
    server_version: &str,
    max_steps: usize,
) -> Prompt {
    let shown = shown_tables(context, config);
    let tables = context.tables.iter().map(AsRef::as_ref);
    let tables: Vec<&Table> = tables.filter(|table| shown.contains(&table.oid)).collect();
    let variables = [
        ("server_version", server_version),
        ("today", understanding.today()),
        ("max_steps", &max_steps.to_string()),
    ];
    let mut system = PLAN.fill(&config.owner.prompts, &variables);
    system.push_str(&owners_instructions(context, &tables));
    Prompt {
        system,
        ..render(understanding, context, config, server_version)
    }
}
