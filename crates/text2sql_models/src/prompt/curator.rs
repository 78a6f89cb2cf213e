//! What a model gets to read when it helps a curator: to check an example, to suggest descriptions.

use std::sync::Arc;

use super::{Prompt, disclose, fence_for, fill, render_schema, taught, without_disguise};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::{Definition, Table};

const CHECK_EXAMPLE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/check_example.md"
));
const CHECK_EXAMPLE_PAIR: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/check_example_pair.md"
));
const SUGGEST: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/suggest.md"
));
const SUGGEST_OBJECTS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/suggest_objects.md"
));

/// Does the SQL of an example answer its question?
pub fn render_check(
    (question, sql): (&str, &str),
    tables: &[Arc<Table>],
    definitions: &[Definition],
    egress: Egress,
    budget: usize,
    server_version: &str,
) -> Prompt {
    let (schema, shown) = render_schema(tables, egress, budget);
    let definitions = taught::definitions(definitions, tables);
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
                ("definitions", &taught::section(&definitions, &fence)),
                ("question", &question),
                ("sql", &sql),
            ],
        ),
    }
}

/// What could be said about objects without a description?
pub fn render_suggest(
    tables: &[Arc<Table>],
    objects: &[String],
    egress: Egress,
    budget: usize,
    server_version: &str,
) -> Prompt {
    let (schema, shown) = render_schema(tables, egress, budget);
    // A name that hides characters cannot be told, and not be spelled in a reply.
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
    }
}
