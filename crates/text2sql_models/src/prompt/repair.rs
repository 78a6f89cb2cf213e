//! The turn that asks a model to correct a query which failed.

use super::template::fill;
use super::untrusted_text::{fence_for, without_disguise};

const REPAIR: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/repair.md"
));

/// Renders the user's turn after a query failed.
pub fn render_repair(problem: &str, names: &[String], schema: &str) -> String {
    let names = if names.is_empty() {
        String::new()
    } else {
        without_disguise(&format!("Names that exist: {}.", names.join(", ")))
    };
    let problem = without_disguise(problem);
    let schema = if schema.is_empty() {
        String::new()
    } else {
        format!("\nTables that were not shown yet:\n{schema}")
    };
    let fence = fence_for(&[&problem, &names, &schema]);
    fill(
        REPAIR,
        &[
            ("fence", &fence),
            ("problem", &problem),
            ("names", &names),
            ("schema", &schema),
        ],
    )
}
