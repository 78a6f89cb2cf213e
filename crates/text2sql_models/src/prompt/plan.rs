//! Asks a model how a question would be answered: its own instructions above the same schema, knowledge and
//! question as for the query.

use super::prompt_text::Prompt;
use super::template::fill;

const PLAN: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../prompts/plan.md"
));

/// The prompt for a plan of at most `max_steps` steps, from the prompt for the query.
pub fn plan_prompt(prompt: Prompt, server_version: &str, today: &str, max_steps: usize) -> Prompt {
    let max_steps = max_steps.to_string();
    let variables = [
        ("server_version", server_version),
        ("today", today),
        ("max_steps", max_steps.as_str()),
    ];
    Prompt {
        system: fill(PLAN, &variables),
        ..prompt
    }
}
