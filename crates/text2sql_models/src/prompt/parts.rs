//! Questions answered with several results: the instructions.

use super::template::fill;

const PARTS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/parts.md"
));

/// The instructions that allow at most `max_parts` results.
pub fn parts_instructions(max_parts: usize) -> String {
    fill(PARTS, &[("max_parts", &max_parts.to_string())])
}
