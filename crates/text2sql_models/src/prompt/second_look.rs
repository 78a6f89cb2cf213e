//! The turn that shows a model the tables found for what it said it lacks.

use super::replaceable::SECOND_LOOK;
use super::untrusted_text::fence_for;
use text2sql_domain::own_prompts::OwnPrompts;

/// Renders the user's turn with the text of the tables.
pub fn render_second_look(own: &OwnPrompts, schema: &str) -> String {
    let fence = fence_for(&[schema]);
    SECOND_LOOK.fill(own, &[("fence", &fence), ("schema", schema)])
}
