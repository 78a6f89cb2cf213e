//! What a model gets to read about a statement that somebody handed in: the steps of its
//! explanation for a summary, the statement itself for one that is faster.

use std::sync::Arc;

use super::{Prompt, disclose, fence_for, fill, render_schema, without_disguise};
use text2sql_domain::config::Egress;
use text2sql_domain::schema::Table;
use text2sql_domain::trace::Disclosed;

const SUMMARY: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/summary.md"
));
const SUMMARY_STEPS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/summary_steps.md"
));
const FASTER: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/faster.md"
));
const FASTER_QUERY: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/faster_query.md"
));

/// What does it do, in short? The steps are the finished ones: what must not go out is hidden in
/// them already.
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
    }
}

/// How could it be written to run faster? `sql` is what may go out of the statement.
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
    }
}
