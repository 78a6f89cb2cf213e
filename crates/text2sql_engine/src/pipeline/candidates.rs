//! The replies of an engine: from its conversations to one query, over candidates, repairs and a second look at the catalog.

use serde_json::{Value, json};

use super::asked::Asked;
use super::dialogue::{Dialogue, Step};
use super::prepare::Prepared;
use crate::agreement;
use crate::missing_names;
use crate::query_generation::{Conversation, generate_all};
use crate::statement::Tried;
use text2sql_domain::config::ModelConfig;
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::sql_result::Execution;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::second_look::Lacking;

/// What the conversations came to so far, and the one that can go on.
pub(super) struct Replies {
    pub(super) step: Step,
    dialogue: Option<Dialogue>,
}

impl Replies {
    /// Nothing was replied yet. Of several conversations, each writes one candidate: they are asked at once, their queries
    /// run, and the most common result is taken.
    pub(super) fn begin(
        cx: &Run<'_>,
        asked: &Asked<'_>,
        prepared: &Prepared,
        conversations: Vec<Conversation>,
    ) -> Result<Self, Error> {
        let conversations = conversations.into_iter();
        let mut dialogues: Vec<Dialogue> = conversations
            .map(|conversation| Dialogue::new(cx, prepared, conversation))
            .collect();
        match dialogues.pop() {
            Some(only) if dialogues.is_empty() => Ok(Self {
                step: Step::Again,
                dialogue: Some(only),
            }),
            last => {
                dialogues.extend(last);
                agree(cx, &prepared.understanding, dialogues, asked)
            }
        }
    }

    /// Asks until a reply is more than a problem to repair.
    pub(super) fn repair(&mut self, cx: &Run<'_>, asked: &Asked<'_>) -> Result<(), Error> {
        if let Some(dialogue) = &mut self.dialogue {
            while let Step::Again = self.step {
                self.step = dialogue.next_reply(cx, asked)?;
            }
        }
        Ok(())
    }

    /// Asks once more where the model says that something is missing: with other tables, or with what proves it wrong. What it gave before stays
    /// where that leads to nothing better; where the endpoint fails, with the note that is returned.
    pub(super) fn look_again(
        &mut self,
        cx: &Run<'_>,
        asked: &Asked<'_>,
    ) -> Result<Option<String>, Error> {
        let note = self.sent_back(cx, asked)?;
        // The built-in engine claims nothing: a word that it calls missing it could not place.
        if let (Some(dialogue), Step::Declined(proposal)) = (&self.dialogue, &mut self.step)
            && !matches!(cx.config.model, ModelConfig::Builtin)
        {
            dialogue.without_disproved(proposal);
        }
        Ok(note)
    }

    fn sent_back(&mut self, cx: &Run<'_>, asked: &Asked<'_>) -> Result<Option<String>, Error> {
        let Some(dialogue) = &mut self.dialogue else {
            return Ok(None);
        };
        let is_sent_back = match &self.step {
            Step::Declined(Proposal::Unanswerable { missing, .. }) => {
                let lacking = Lacking { missing, sql: None };
                dialogue.disprove(cx, missing, true)
                    || dialogue.look_again(cx, lacking)?
                    || dialogue.disprove(cx, missing, false)
            }
            Step::Declined(Proposal::Ambiguous { question, .. }) => {
                dialogue.disprove(cx, &missing_names::claims(question), false)
            }
            Step::Passed(proposal, _) if !proposal.missing.is_empty() => {
                let lacking = Lacking {
                    missing: &proposal.missing,
                    sql: Some(&proposal.sql),
                };
                dialogue.look_again(cx, lacking)? || dialogue.disprove(cx, &proposal.missing, false)
            }
            _ => false,
        };
        if !is_sent_back {
            return Ok(None);
        }
        let first = std::mem::replace(&mut self.step, Step::Again);
        match self.repair(cx, asked) {
            Err(error) if error.is_of_endpoint() => {
                self.step = first;
                return Ok(Some(format!(
                    "no second look at other tables: {}",
                    error.message()
                )));
            }
            second => second?,
        }
        let is_better = match (&first, &self.step) {
            (Step::Passed(before, _), Step::Passed(after, _)) => {
                after.missing.len() < before.missing.len()
            }
            (Step::Passed(..), _) => false,
            _ => true,
        };
        if !is_better {
            self.step = first;
        }
        Ok(None)
    }
}

/// Requests several candidates concurrently, each with a different strategy, runs them, and chooses the
/// one with the most common result. If none runs, the first that can be repaired goes on.
fn agree(
    cx: &Run<'_>,
    understanding: &Understanding,
    mut dialogues: Vec<Dialogue>,
    asked: &Asked<'_>,
) -> Result<Replies, Error> {
    let alone = |step| Replies {
        step,
        dialogue: None,
    };
    let count = dialogues.len();
    let stage = cx.stage("generate");
    let each = dialogues
        .iter_mut()
        .map(|dialogue| &mut dialogue.conversation);
    let generated = generate_all(cx, understanding, each.collect());
    let (requests, written): (Vec<Value>, Vec<Value>) = dialogues
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
    stage.end(
        json!({"candidates": requests}),
        json!({"candidates": written}),
    );
    let mut passed = Vec::new();
    let mut declined = Vec::new();
    let mut several = None;
    let mut repairable = None;
    let mut last = None;
    let mut failures = Vec::new();
    for (generated, mut dialogue) in generated.into_iter().zip(dialogues) {
        let step = match generated {
            Ok(generated) => dialogue.take(cx, generated, asked),
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
            Ok(Step::Ended(answer)) => last = Some(Ok(alone(Step::Ended(answer)))),
            Err(error) => last = Some(Err(error)),
        }
    }
    if passed.len() >= declined.len()
        && let Some((proposal, result)) = choose(passed, count, &failures)
    {
        return Ok(alone(Step::Passed(proposal, result)));
    }
    if let Some(parts) = several {
        return Ok(alone(Step::Several(parts)));
    }
    if let Some((proposal, dialogue)) = declined.into_iter().next() {
        return Ok(Replies {
            step: Step::Declined(proposal),
            dialogue: Some(dialogue),
        });
    }
    match (repairable, last) {
        (Some(dialogue), _) => Ok(Replies {
            step: Step::Again,
            dialogue: Some(dialogue),
        }),
        (None, Some(last)) => last,
        (None, None) => Err(failure!(Internal, "no candidate was asked for")),
    }
}

/// The candidate with the most common result of the `asked` ones; differences of the others, and why requests failed,
/// become notes.
fn choose(
    mut passed: Vec<(Box<SqlProposal>, Tried)>,
    asked: usize,
    failures: &[String],
) -> Option<(Box<SqlProposal>, Tried)> {
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
