//! Asks a model for its opinion on an answer that an evaluation graded as wrong: question, gold SQL and
//! candidate, as data, and no row of a result.

use super::prompt_text::Prompt;
use super::template::{self, fill};
use super::untrusted_text::{fence_for, without_disguise};
use text2sql_domain::exchange::Disclosed;

const OPINION: &str = template::prompt_file!("prompts/opinion.md");
const OPINION_CASE: &str = template::prompt_file!("prompts/opinion_case.md");

/// Renders the prompt for one case.
pub fn render_opinion(question: &str, gold: &str, candidate: &str, reasons: &str) -> Prompt {
    let [question, gold, candidate, reasons] =
        [question, gold, candidate, reasons].map(without_disguise);
    let fence = fence_for(&[&question, &gold, &candidate, &reasons]);
    Prompt {
        disclosed: Disclosed::default(),
        system: fill(OPINION, &[]),
        user: fill(
            OPINION_CASE,
            &[
                ("fence", &fence),
                ("question", &question),
                ("gold", &gold),
                ("candidate", &candidate),
                ("reasons", &reasons),
            ],
        ),
        ..Prompt::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_is_fenced_and_the_instructions_hold_none_of_it() {
        let prompt = render_opinion("Which?", "SELECT 1", "SELECT 2", "single cell differs");
        assert!(!prompt.system.contains("SELECT 1") && prompt.system.contains("opinion"));
        assert_eq!(prompt.user.matches("<data-").count(), 3);
        assert!(
            prompt
                .user
                .trim_end()
                .ends_with("found: single cell differs"),
            "{}",
            prompt.user
        );
    }
}
