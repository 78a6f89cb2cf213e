//! The turn that shows a model the tables found for what it said it lacks.

use super::template::fill;
use super::untrusted_text::fence_for;

const SECOND_LOOK: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/second_look.md"
));

/// Renders the user's turn with the text of the tables.
pub fn render_second_look(schema: &str) -> String {
    let fence = fence_for(&[schema]);
    fill(SECOND_LOOK, &[("fence", &fence), ("schema", schema)])
}
