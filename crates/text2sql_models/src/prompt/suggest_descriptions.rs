//! Asks a model for descriptions of objects that have none.

use std::sync::Arc;

use super::prompt_text::Prompt;
use super::schema_text::{disclose, render_schema};
use super::template::{self, fill};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::Table;

const SUGGEST: &str = template::prompt_file!("prompts/suggest.md");
const SUGGEST_OBJECTS: &str = template::prompt_file!("prompts/suggest_objects.md");

/// Renders the prompt for descriptions of `objects`.
pub fn render_suggest(
    tables: &[Arc<Table>],
    objects: &[String],
    egress: Egress,
    budget: usize,
    server_version: &str,
) -> Prompt {
    let (schema, shown) = render_schema(tables, egress, budget);
    // A name with hidden characters cannot be shown, nor spelled in a reply.
    let objects: Vec<&str> = objects
        .iter()
        .map(String::as_str)
        .filter(|name| without_disguise(name) == *name)
        .collect();
    let objects = objects.join("\n");
    let fence = fence_for(&[&schema, &objects]);
    Prompt {
        disclosed: disclose(tables.iter().take(shown).map(AsRef::as_ref), egress),
        system: fill(SUGGEST, &[("server_version", server_version)]),
        user: fill(
            SUGGEST_OBJECTS,
            &[
                ("fence", &fence),
                ("schema", &schema),
                ("objects", &objects),
            ],
        ),
        ..Prompt::default()
    }
}
