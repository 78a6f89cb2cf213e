//! From a question to SQL that passed, with one or several candidates and a limited number of repairs.

use super::agreement::{Agreed, agree};
use super::attempt::{Attempt, Passed};
use super::decline::decline;
use super::dialogue::{Dialogue, Step};
use super::multi_step_progress::StepRows;
use crate::query_generation::Conversation;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// SQL that passes `attempt`, or the answer that explains why there is none. Each conversation writes one
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
    let (mut step, mut dialogue) = match agreed {
        Agreed::On(step) => (step, None),
        Agreed::Repairable(dialogue) => (Step::Again, Some(dialogue)),
    };
    // Repeat until there is a result or no repair is left.
    while let (Step::Again, Some(dialogue)) = (&step, &mut dialogue) {
        step = dialogue.next_reply(cx, attempt)?;
    }
    match step {
        Step::Passed(proposal, result) => Ok(Ok((proposal, result))),
        Step::Ended(answer) => Ok(Err(answer)),
        Step::Declined(proposal) => {
            let answer = decline(cx, understanding, proposal, &context.tables)?;
            Ok(Err(Box::new(answer)))
        }
        Step::Again => Err(Error::new(
            ErrorKind::Internal,
            "no candidate was asked for",
        )),
    }
}
