//! Several candidates for one question, and which of them to trust.

use serde_json::{Value, json};

use super::dialogue::{Attempt, Dialogue, Step, Task};
use super::{Solved, ended, pursue, route};
use crate::generate::{Conversation, generate_all};
use crate::strategy_choice::strategies;
use text2sql_domain::context::Run;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::sql_result::Execution;
use text2sql_metrics::agreement;
use text2sql_models::prompt::Prompt;

/// Asks for several candidates at the same time, each by another strategy, runs them, and takes
/// the one whose rows most of them give. When none runs, the first that can be repaired is.
pub(super) fn solve_by_agreement(
    cx: &Run<'_>,
    task: Task<'_>,
    prompt: &Prompt,
    attempt: &Attempt<'_, Execution>,
) -> Result<Solved<Execution>, Error> {
    let Task { question, context } = task;
    let ways = strategies(cx.config.strategy, question, cx.config.candidates);
    let mut dialogues: Vec<Dialogue<Execution>> = ways
        .into_iter()
        .map(|way| {
            Conversation::new(Some(prompt.clone()), Some(way)).with_steps(cx.config.max_steps)
        })
        .map(|conversation| Dialogue::new(cx, conversation, context))
        .collect();
    let generated = cx.stage("generate", || {
        let conversations = dialogues
            .iter_mut()
            .map(|dialogue| &mut dialogue.conversation);
        generate_all(cx, question, conversations.collect())
    });
    let (asked, written): (Vec<Value>, Vec<Value>) = dialogues
        .iter()
        .zip(&generated)
        .map(|(dialogue, generated)| {
            let written = match generated {
                Ok(generated) => generated.summary(),
                Err(error) => json!({"error": error.message()}),
            };
            (dialogue.summary(), written)
        })
        .unzip();
    // One stage asked for all of them; what comes next are stages of their own.
    cx.note(json!({"candidates": asked}), json!({"candidates": written}));
    let mut passed = Vec::new();
    let mut declined = Vec::new();
    let mut repairable = None;
    let mut last = None;
    for (generated, mut dialogue) in generated.into_iter().zip(dialogues) {
        let step = match generated {
            Ok(generated) => dialogue.take(cx, task, generated, attempt),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // Of several, one that the endpoint failed is one less.
            Err(error) => Err(error),
        };
        match step {
            Ok(Step::Passed(proposal, execution)) => passed.push((proposal, execution)),
            Ok(Step::Declined(proposal)) => declined.push(proposal),
            Ok(Step::Again) => repairable = repairable.or(Some(dialogue)),
            Ok(Step::Ended(answer)) => last = Some(Ok(Solved::Ended(answer))),
            Err(error) => last = Some(Err(error)),
        }
    }
    if passed.len() >= declined.len()
        && let Some(chosen) = choose(passed, cx.config.candidates)
    {
        return Ok(Solved::Passed(chosen.0, chosen.1));
    }
    if let Some(proposal) = declined.into_iter().next() {
        return Ok(ended(route(cx, question, proposal, &context.tables)?));
    }
    match (repairable, last) {
        (Some(dialogue), _) => pursue(cx, task, dialogue, attempt),
        (None, Some(last)) => last,
        (None, None) => Err(Error::new(
            ErrorKind::Internal,
            "no candidate was asked for",
        )),
    }
}

/// The candidate whose rows most of the `asked` give; what the others say goes into its notes.
fn choose(
    mut passed: Vec<(SqlProposal, Execution)>,
    asked: usize,
) -> Option<(SqlProposal, Execution)> {
    let results: Vec<&Execution> = passed.iter().map(|(_, execution)| execution).collect();
    let agreement = agreement::compare(&results)?;
    let (mut proposal, execution) = passed.swap_remove(agreement.chosen);
    proposal.notes.push(match agreement.ran {
        1 => format!("only 1 of {asked} candidates gave rows"),
        ran => format!(
            "{} of {ran} candidates agree on these rows",
            agreement.agreeing
        ),
    });
    proposal.notes.extend(agreement.differences);
    if let Some(score) = &mut proposal.score {
        score.agree(agreement.agreeing, asked);
    }
    Some((proposal, execution))
}
