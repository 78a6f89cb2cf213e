//! Compares several candidates for one question and chooses one.

use serde_json::{Value, json};

use super::attempt::Attempt;
use super::dialogue::{Dialogue, Step};
use super::multi_step_progress::StepRows;
use crate::agreement;
use crate::query_generation::generate_all;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::sql_result::Execution;
use text2sql_language::understanding::Understanding;

/// The outcome of several candidates.
pub(super) enum Agreed<'a, T> {
    /// The chosen outcome.
    On(Step<T>),
    /// The chosen outcome, with the dialogue that led to it.
    After(Step<T>, Box<Dialogue<'a, T>>),
    /// No candidate ran, and this one can be repaired.
    Repairable(Box<Dialogue<'a, T>>),
}

/// Requests several candidates concurrently, each with a different strategy, runs them, and chooses the
/// one with the most common result. If none runs, returns the first that can be repaired.
pub(super) fn agree<'a, T: StepRows>(
    cx: &Run<'_>,
    understanding: &Understanding,
    mut dialogues: Vec<Dialogue<'a, T>>,
    attempt: &Attempt<'_, T>,
) -> Result<Agreed<'a, T>, Error> {
    let count = dialogues.len();
    let stage = cx.stage("generate");
    let each = dialogues
        .iter_mut()
        .map(|dialogue| &mut dialogue.conversation);
    let generated = generate_all(cx, understanding, each.collect());
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
    // One stage covers all requests; each later step records its own.
    stage.end(json!({"candidates": asked}), json!({"candidates": written}));
    let mut passed = Vec::new();
    let mut declined = Vec::new();
    let mut several = None;
    let mut repairable = None;
    let mut last = None;
    let mut failures = Vec::new();
    for (generated, mut dialogue) in generated.into_iter().zip(dialogues) {
        let step = match generated {
            Ok(generated) => dialogue.take(cx, generated, attempt),
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // A failed request only reduces the number of candidates.
            Err(error) => {
                failures.push(error.message().to_owned());
                Err(error)
            }
        };
        match step {
            Ok(Step::Passed(proposal, execution)) => passed.push((proposal, execution)),
            Ok(Step::Declined(proposal)) => declined.push((proposal, dialogue)),
            Ok(Step::Again) => repairable = repairable.or(Some(dialogue)),
            Ok(Step::Several(parts)) => several = several.or(Some(parts)),
            Ok(Step::Ended(answer)) => last = Some(Ok(Agreed::On(Step::Ended(answer)))),
            Err(error) => last = Some(Err(error)),
        }
    }
    if passed.len() >= declined.len()
        && let Some((proposal, result)) = choose(passed, count, &failures)
    {
        return Ok(Agreed::On(Step::Passed(proposal, result)));
    }
    if let Some(parts) = several {
        return Ok(Agreed::On(Step::Several(parts)));
    }
    if let Some((proposal, dialogue)) = declined.into_iter().next() {
        return Ok(Agreed::After(Step::Declined(proposal), Box::new(dialogue)));
    }
    match (repairable, last) {
        (Some(dialogue), _) => Ok(Agreed::Repairable(Box::new(dialogue))),
        (None, Some(last)) => last,
        (None, None) => Err(Error::new(
            ErrorKind::Internal,
            "no candidate was asked for",
        )),
    }
}

/// The candidate with the most common result of the `asked` ones; differences of the others, and why requests failed,
/// become notes.
fn choose<T: StepRows>(
    mut passed: Vec<(SqlProposal, T)>,
    asked: usize,
    failures: &[String],
) -> Option<(SqlProposal, T)> {
    let results: Vec<&Execution> = passed.iter().filter_map(|(_, own)| own.rows()).collect();
    let agreement = agreement::compare(&results)?;
    let (mut proposal, result) = passed.swap_remove(agreement.chosen);
    proposal.notes.push(match agreement.ran {
        1 => format!("only 1 of {asked} candidates gave rows"),
        ran => format!(
            "{} of {ran} candidates agree on these rows",
            agreement.agreeing
        ),
    });
    if let Some(failure) = failures.first() {
        let failed = failures.len();
        proposal.notes.push(format!(
            "{failed} of {asked} candidates could not be asked for: {failure}"
        ));
    }
    proposal.notes.extend(agreement.differences);
    if let Some(score) = &mut proposal.score {
        score.agree(agreement.agreeing, asked);
    }
    Some((proposal, result))
}
