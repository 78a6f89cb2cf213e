//! The instructions for writing a query, and those of each strategy.

use super::prompt_text::Prompt;
use super::template::fill;
use text2sql_domain::strategy::Strategy;

const GENERATE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/generate.md"
));
const STRATEGY_DIRECT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_direct.md"
));
const STRATEGY_ONE_SHOT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_one_shot.md"
));
const STRATEGY_CHAIN_OF_THOUGHT: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_chain_of_thought.md"
));
const STRATEGY_DECOMPOSE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/strategy_decompose.md"
));

/// The rules of generated SQL.
pub(super) fn rules(server_version: &str, today: &str) -> String {
    fill(
        GENERATE,
        &[("server_version", server_version), ("today", today)],
    )
}

/// The prompt's instructions with those of a strategy.
pub fn instructions(prompt: &Prompt, strategy: Strategy) -> String {
    let how = match strategy {
        Strategy::Direct => STRATEGY_DIRECT,
        Strategy::OneShot => STRATEGY_ONE_SHOT,
        Strategy::ChainOfThought => STRATEGY_CHAIN_OF_THOUGHT,
        Strategy::Decompose => STRATEGY_DECOMPOSE,
    };
    format!("{}\n\n{}", prompt.system, fill(how, &[]))
}
