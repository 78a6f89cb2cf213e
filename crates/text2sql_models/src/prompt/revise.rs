//! Asks a model to change a given query.

use super::prompt_text::Prompt;
use super::replaceable::{REVISE, REVISE_QUERY};
use super::untrusted_text::{fence_for, without_disguise};
use super::{generation, glossary, linked_values, schema_text};
use text2sql_domain::config::Config;
use text2sql_domain::shown::Shows;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Renders the prompt of a change to `query`.
pub fn render_revise(
    understanding: &Understanding,
    query: &str,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    let own = &config.owner.prompts;
    let shows = Shows::of(config);
    let egress = shows.egress;
    let schema = schema_text::schema(context, shows, context.schema_chars(config));
    let shown = &schema.shown;
    let coverage = schema_text::coverage(context, shown.len());
    let definitions = glossary::definitions(&context.definitions, &context.tables);
    let (values, value_columns) = linked_values::values(context, shows, config.shown.values);
    let query: Vec<String> = query.lines().map(without_disguise).collect();
    let query = query.join("\n");
    let request = without_disguise(understanding.text());
    let fence = fence_for(&[&schema.text, &definitions, &values, &query, &request]);
    let disclosed = schema_text::disclose_shown(shown, value_columns, egress);
    let rules = generation::rules(server_version, understanding, context, shown, config);
    Prompt {
        disclosed,
        system: format!("{rules}\n\n{}", REVISE.fill(own, &[])),
        user: REVISE_QUERY.fill(
            own,
            &[
                ("fence", &fence),
                ("schema", &schema.text),
                ("coverage", &coverage),
                ("legend", &schema_text::legend(&schema, egress)),
                ("definitions", &glossary::section(&definitions, &fence)),
                ("values", &linked_values::section(&values, &fence)),
                ("query", &query),
                ("request", &request),
            ],
        ),
    }
}
