//! The turn that asks a model to correct a query which failed.

use super::compact;
use super::replaceable::REPAIR;
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::config::Profile;
use text2sql_domain::own_prompts::OwnPrompts;

/// Renders the user's turn after a query failed.
pub fn render_repair(
    own: &OwnPrompts,
    profile: Profile,
    problem: &str,
    names: &[String],
    schema: &str,
) -> String {
    if profile == Profile::Compact {
        return compact::render_repair(own, problem, names, schema);
    }
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
    REPAIR.fill(
        own,
        &[
            ("fence", &fence),
            ("problem", &problem),
            ("names", &names),
            ("schema", &schema),
        ],
    )
}
