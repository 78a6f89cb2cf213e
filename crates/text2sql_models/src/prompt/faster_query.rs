//! Asks a model for an equivalent query that runs faster.

use std::sync::Arc;

use super::prompt_text::Prompt;
use super::schema_text::{disclose, render_schema};
use super::template::{self, fill};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::Table;

const FASTER: &str = template::prompt_file!("prompts/faster.md");
const FASTER_QUERY: &str = template::prompt_file!("prompts/faster_query.md");

/// Renders the prompt for a faster form of `sql`, in which values that must not be sent are masked.
pub fn render_faster(
    sql: &str,
    tables: &[Arc<Table>],
    indexes: &[String],
    egress: Egress,
    budget: usize,
    server_version: &str,
) -> Prompt {
    let (schema, shown) = render_schema(tables, egress, budget);
    let indexes: Vec<String> = indexes
        .iter()
        .map(|index| without_disguise(index))
        .collect();
    let indexes = match indexes.is_empty() {
        true => "none that are known".to_owned(),
        false => indexes.join("\n"),
    };
    let sql = without_disguise(sql);
    let fence = fence_for(&[&schema, &indexes, &sql]);
    Prompt {
        disclosed: disclose(tables.iter().take(shown).map(AsRef::as_ref), egress),
        system: fill(FASTER, &[("server_version", server_version)]),
        user: fill(
            FASTER_QUERY,
            &[
                ("fence", &fence),
                ("schema", &schema),
                ("indexes", &indexes),
                ("sql", &sql),
            ],
        ),
        ..Prompt::default()
    }
}
