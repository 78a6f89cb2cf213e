//! Questions answered with several results: the instructions.

use super::replaceable::PARTS;
use text2sql_domain::own_prompts::OwnPrompts;

/// The instructions that allow at most `max_parts` results.
pub fn parts_instructions(own: &OwnPrompts, max_parts: usize) -> String {
    PARTS.fill(own, &[("max_parts", &max_parts.to_string())])
}
