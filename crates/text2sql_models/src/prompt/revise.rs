//! What a model gets to read when a given query is to be changed.

use super::{GENERATE, Prompt, disclose, fence_for, fill, found, taught, without_disguise};
use text2sql_domain::config::{Config, Egress, ModelConfig};
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

const REVISE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/revise.md"
));
const REVISE_QUERY: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/revise_query.md"
));

/// Renders the prompt of a change to `query`.
pub fn render_revise(
    understanding: &Understanding,
    query: &str,
    context: &Context,
    config: &Config,
    server_version: &str,
) -> Prompt {
    let egress = match &config.model {
        ModelConfig::Endpoint(endpoint) => endpoint.egress,
        ModelConfig::Builtin | ModelConfig::Replay(_) => Egress::Rows,
    };
    let (schema, shown) = found::schema(context, egress, config.max_schema_chars);
    let count = shown.len();
    let coverage = match context.is_whole && count == context.tables.len() {
        true => format!("complete, {count} tables"),
        false => format!("the {count} most relevant tables, there are more"),
    };
    let definitions = taught::definitions(&context.definitions, &context.tables);
    let (values, value_columns) = found::values(context, egress);
    let query: Vec<String> = query.lines().map(without_disguise).collect();
    let query = query.join("\n");
    let request = without_disguise(understanding.text());
    let fence = fence_for(&[&schema, &definitions, &values, &query, &request]);
    let mut disclosed = disclose(shown.iter().map(|entry| entry.table.as_ref()), egress);
    for column in value_columns {
        if !disclosed.value_columns.contains(&column) {
            disclosed.value_columns.push(column);
        }
    }
    let rules = fill(
        GENERATE,
        &[
            ("server_version", server_version),
            ("today", understanding.today()),
        ],
    );
    Prompt {
        disclosed,
        system: format!("{rules}\n\n{}", fill(REVISE, &[])),
        user: fill(
            REVISE_QUERY,
            &[
                ("fence", &fence),
                ("schema", &schema),
                ("coverage", &coverage),
                ("definitions", &taught::section(&definitions, &fence)),
                ("values", &found::values_section(&values, &fence)),
                ("query", &query),
                ("request", &request),
            ],
        ),
    }
}
