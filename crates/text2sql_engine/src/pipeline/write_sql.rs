//! From a question to SQL that passed, with one or several candidates, a limited number of repairs, and one
//! second look at the catalog where the model says what it lacks.

use super::agreement::{Agreed, agree};
use super::attempt::{Attempt, Passed, Unsolved};
use super::decline::decline;
use super::dialogue::{Dialogue, Step};
use super::multi_step_progress::StepRows;
use crate::query_generation::Conversation;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::Proposal;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;
use text2sql_retrieval::second_look::Lacking;

/// SQL that passes `attempt`, or what there is instead. Each conversation writes one
/// candidate.
pub(super) fn write_sql<T: StepRows>(
    cx: &Run<'_>,
    understanding: &Understanding,
    context: &Context,
    conversations: Vec<Conversation>,
    attempt: &Attempt<'_, T>,
) -> Result<Passed<T>, Error> {
    let mut dialogues: Vec<Dialogue<'_, T>> = conversations
        .into_iter()
        .map(|conversation| Dialogue::new(cx, understanding, context, conversation))
        .collect();
    let agreed = match dialogues.pop() {
        Some(only) if dialogues.is_empty() => Agreed::Repairable(Box::new(only)),
        last => {
            dialogues.extend(last);
            agree(cx, understanding, dialogues, attempt)?
        }
    };
    let mut not_looked = None;
    let (mut step, mut dialogue) = match agreed {
        Agreed::On(step) => (step, None),
        Agreed::After(step, dialogue) => (step, Some(dialogue)),
        Agreed::Repairable(dialogue) => (Step::Again, Some(dialogue)),
    };
    if let Some(dialogue) = &mut dialogue {
        step = until_done(cx, step, dialogue, attempt)?;
        if cx.config.enable_second_look {
            (step, not_looked) = second_look(cx, step, dialogue, attempt)?;
        }
    }
    match step {
        Step::Passed(mut proposal, result) => {
            proposal.notes.extend(not_looked);
            Ok(Ok((proposal, result)))
        }
        Step::Ended(answer) => Ok(Err(Unsolved::Answered(answer))),
        Step::Several(parts) => Ok(Err(Unsolved::Several(parts))),
        Step::Declined(proposal) => {
            let mut answer = decline(cx, understanding, proposal, &context.tables)?;
            answer.warnings.extend(not_looked);
            Ok(Err(Unsolved::Answered(Box::new(answer))))
        }
        Step::Again => Err(Error::new(
            ErrorKind::Internal,
            "no candidate was asked for",
        )),
    }
}

/// Repeats until there is a result or no repair is left.
fn until_done<T: StepRows>(
    cx: &Run<'_>,
    mut step: Step<T>,
    dialogue: &mut Dialogue<'_, T>,
    attempt: &Attempt<'_, T>,
) -> Result<Step<T>, Error> {
    while let Step::Again = step {
        step = dialogue.next_reply(cx, attempt)?;
    }
    Ok(step)
}

/// Asks once more with other tables where the model says that something is missing. What it gave before stays
/// where that leads to nothing better; where the endpoint fails, with a note.
fn second_look<T: StepRows>(
    cx: &Run<'_>,
    first: Step<T>,
    dialogue: &mut Dialogue<'_, T>,
    attempt: &Attempt<'_, T>,
) -> Result<(Step<T>, Option<String>), Error> {
    let lacking = match &first {
        Step::Declined(Proposal::Unanswerable { missing, .. }) => Lacking { missing, sql: None },
        Step::Passed(proposal, _) if !proposal.missing.is_empty() => Lacking {
            missing: &proposal.missing,
            sql: Some(&proposal.sql),
        },
        Step::Passed(..) | Step::Declined(_) | Step::Ended(_) | Step::Several(_) | Step::Again => {
            return Ok((first, None));
        }
    };
    let is_sent_back = dialogue.look_again(cx, lacking)? || dialogue.disprove(cx, lacking.missing);
    if !is_sent_back {
        return Ok((first, None));
    }
    let second = match until_done(cx, Step::Again, dialogue, attempt) {
        Err(error) if error.is_of_endpoint() => {
            let note = format!("no second look at other tables: {}", error.message());
            return Ok((first, Some(note)));
        }
        second => second?,
    };
    let better = match (first, second) {
        (Step::Passed(before, rows), Step::Passed(after, _))
            if after.missing.len() >= before.missing.len() =>
        {
            Step::Passed(before, rows)
        }
        (_, Step::Passed(proposal, rows)) => Step::Passed(proposal, rows),
        (Step::Passed(before, rows), _) => Step::Passed(before, rows),
        (_, second) => second,
    };
    Ok((better, None))
}
