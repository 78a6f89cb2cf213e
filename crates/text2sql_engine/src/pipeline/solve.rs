//! The way of a question: everything that can happen to it, in order.
//!
//! The engines are asked one after another until one is sure. With each of them the question passes [`STAGES`] until one
//! has an outcome. If that is a choice of readings, and the pipeline may choose, the reading goes the same way.

use std::rc::Rc;

use super::asked::{Asked, By, Ended, Outcome, Parts};
use super::candidates::Replies;
use super::dialogue::Step;
use super::in_order::{Chosen, in_order, may_be_improved, places};
use super::prepare::{Prepared, Understood};
use super::replay::replay;
use crate::query_generation::Conversation;
use crate::stages::choose_tables::choose_tables;
use crate::stages::decline::{decline, unresolved_follow_up};
use crate::stages::prompt::prompt;
use crate::stages::route::route;
use crate::stages::with_hint;
use text2sql_builtin as builtin;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::config::{ModelConfig, WhenAmbiguous};
use text2sql_domain::engines::{Engines, NotLessTrusted};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::interrupts;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;

type Stage = fn(&Run<'_>, &Asked<'_>, &mut Way) -> Result<Option<Outcome>, Error>;

/// What can happen to a question with one engine, in order. An outcome ends its way.
const STAGES: [&[Stage]; 3] = [WITHOUT_ENGINE, PROMPT, REPLIES];

/// What may have an outcome before the engine is asked.
pub(super) const WITHOUT_ENGINE: &[Stage] = &[
    unresolved, // a follow-up that the engine cannot complete
    replayed,   // a verified example, or the view of rights, has the query
    routed,     // no query is needed, or names alone have several readings
];

/// What the engine is asked.
const PROMPT: &[Stage] = &[
    choose_among_tables, // a model leaves out tables of a large catalog
    begin_conversations, // one for each candidate
];

/// What becomes of its replies.
pub(super) const REPLIES: &[Stage] = &[
    try_candidates, // their queries run, and the most common result is taken
    repair,         // problems go back, until a query passes or no repair is left
    look_again,     // other tables, where the engine says what it lacks
    end,            // the query that passed, or why there is none
];

/// Maximum number of readings chosen for a question: a reading is a complete question and may be ambiguous itself.
const MAX_CHOICES: usize = 3;

/// A question on its way with one engine.
pub(super) struct Way {
    pub(super) prepared: Prepared,
    /// Whether this is the first engine, and whether another one follows.
    is_first: bool,
    has_next: bool,
    conversations: Vec<Conversation>,
    replies: Option<Replies>,
    /// Why there was no second look.
    not_looked: Option<String>,
}

/// Solves a question. Also returns the assumptions made.
pub(super) fn solve(
    cx: &Run<'_>,
    asked: &Asked<'_>,
) -> Result<(Chosen<Ended>, Vec<String>), Error> {
    let mut assumptions = Vec::new();
    let mut chosen = by_engines(cx, asked.engines, asked)?;
    while let Some(reading) = chosen_reading(cx, &mut chosen.given.outcome, &mut assumptions) {
        let trusted = NotLessTrusted::than(&chosen.engine, asked.engines);
        chosen = by_engines(cx, &trusted, &asked.reading(reading))?;
    }
    Ok((chosen, assumptions))
}

/// The outcome of the first engine that is sure. The question is read once for all of them.
fn by_engines(
    cx: &Run<'_>,
    engines: &dyn Engines,
    asked: &Asked<'_>,
) -> Result<Chosen<Ended>, Error> {
    let mut understood: Option<Understood> = None;
    in_order(cx, engines, &places(engines, true), |cx, has_next| {
        let is_first = understood.is_none();
        let understood = match &mut understood {
            Some(understood) => understood,
            none => none.insert(Understood::of(cx, &asked.question, asked.turns)?),
        };
        let prepared = understood.prepare(cx, has_next)?;
        let mut way = Way {
            is_first,
            has_next,
            ..Way::with(prepared, Vec::new())
        };
        let outcome = way.pass(cx, asked, STAGES.into_iter().flatten())?;
        way.ended(outcome)
    })
}

impl Way {
    /// A question at its beginning, or with the conversations that were prepared for it.
    pub(super) fn with(prepared: Prepared, conversations: Vec<Conversation>) -> Self {
        Self {
            prepared,
            is_first: true,
            has_next: false,
            conversations,
            replies: None,
            not_looked: None,
        }
    }

    /// Passes the stages until one has an outcome.
    pub(super) fn pass<'s>(
        &mut self,
        cx: &Run<'_>,
        asked: &Asked<'_>,
        stages: impl IntoIterator<Item = &'s Stage>,
    ) -> Result<Option<Outcome>, Error> {
        for stage in stages {
            interrupts::check()?;
            let outcome = stage(cx, asked, self)?;
            if outcome.is_some() {
                return Ok(outcome);
            }
        }
        Ok(None)
    }

    fn ended(self, outcome: Option<Outcome>) -> Result<Ended, Error> {
        let none = || failure!(Internal, "no stage had an outcome");
        Ok(Ended {
            outcome: outcome.ok_or_else(none)?,
            understanding: self.prepared.understanding,
            context: self.prepared.context,
        })
    }
}

fn unresolved(cx: &Run<'_>, _: &Asked<'_>, way: &mut Way) -> Result<Option<Outcome>, Error> {
    let prepared = &way.prepared;
    Ok(prepared.is_unresolved.then(|| {
        let answer = unresolved_follow_up(cx, &prepared.understanding, &prepared.turns);
        Outcome::Declined(Box::new(answer))
    }))
}

fn replayed(cx: &Run<'_>, asked: &Asked<'_>, way: &mut Way) -> Result<Option<Outcome>, Error> {
    // Who says what is meant gets that.
    match way.is_first && cx.config.meaning.is_none() {
        true => replay(cx, asked, &way.prepared),
        false => Ok(None),
    }
}

fn routed(cx: &Run<'_>, _: &Asked<'_>, way: &mut Way) -> Result<Option<Outcome>, Error> {
    if cx.config.meaning.is_some() {
        return Ok(None);
    }
    let prepared = &mut way.prepared;
    let doubt = prepared.doubt.take();
    let answer = route(cx, &prepared.understanding, &prepared.context, doubt);
    Ok(answer.map(|answer| Outcome::Answered(Box::new(answer), By::Names)))
}

fn choose_among_tables(
    cx: &Run<'_>,
    _: &Asked<'_>,
    way: &mut Way,
) -> Result<Option<Outcome>, Error> {
    let context = Rc::make_mut(&mut way.prepared.context);
    choose_tables(cx, &way.prepared.understanding, context)?;
    Ok(None)
}

fn begin_conversations(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    way: &mut Way,
) -> Result<Option<Outcome>, Error> {
    let takes_parts = matches!(asked.parts, Parts::Answered(_));
    let (understanding, context) = (&way.prepared.understanding, &way.prepared.context);
    way.conversations = prompt(cx, understanding, context, asked.candidates, takes_parts);
    Ok(None)
}

fn try_candidates(
    cx: &Run<'_>,
    asked: &Asked<'_>,
    way: &mut Way,
) -> Result<Option<Outcome>, Error> {
    let conversations = std::mem::take(&mut way.conversations);
    way.replies = Some(Replies::begin(cx, asked, &way.prepared, conversations)?);
    Ok(None)
}

fn repair(cx: &Run<'_>, asked: &Asked<'_>, way: &mut Way) -> Result<Option<Outcome>, Error> {
    if let Some(replies) = &mut way.replies {
        replies.repair(cx, asked)?;
    }
    Ok(None)
}

fn look_again(cx: &Run<'_>, asked: &Asked<'_>, way: &mut Way) -> Result<Option<Outcome>, Error> {
    if let Some(replies) = way
        .replies
        .as_mut()
        .filter(|_| cx.config.enable_second_look)
    {
        way.not_looked = replies.look_again(cx, asked)?;
    }
    Ok(None)
}

fn end(cx: &Run<'_>, asked: &Asked<'_>, way: &mut Way) -> Result<Option<Outcome>, Error> {
    let (prepared, note) = (&way.prepared, way.not_looked.take());
    let step = way.replies.take().map(|replies| replies.step);
    let answer = match step {
        Some(Step::Passed(mut proposal, tried)) => {
            proposal.notes.extend(note);
            return Ok(Some(Outcome::Passed(proposal, tried)));
        }
        Some(Step::Several(parts)) => return Ok(Some(Outcome::Several(parts))),
        Some(Step::Ended(answer)) => *answer,
        Some(Step::Declined(proposal)) => {
            let (understanding, tables) = (&prepared.understanding, &prepared.context.tables);
            let mut answer = decline(cx, understanding, proposal, tables)?;
            answer.warnings.extend(note);
            answer
        }
        Some(Step::Again) | None => return Ok(None),
    };
    if !asked.is_question() {
        let is_last = !may_be_improved(answer.status);
        return Ok(Some(without_sql(answer, is_last)));
    }
    let mut answer = with_hint(answer, &prepared.context.facts);
    let is_last = way.has_next && is_sure(cx, &answer, prepared);
    answer
        .warnings
        .extend(prepared.context.notes.iter().cloned());
    Ok(Some(without_sql(answer, is_last)))
}

fn without_sql(answer: Answer, is_last_word: bool) -> Outcome {
    match is_last_word {
        true => Outcome::Answered(Box::new(answer), By::Engine),
        false => Outcome::Declined(Box::new(answer)),
    }
}

/// Whether no other engine may have a better answer than the engine of this run, which has no query. The built-in engine
/// asks back where its grammar has two readings, too; a model asks back where it has understood the question.
fn is_sure(cx: &Run<'_>, answer: &Answer, prepared: &Prepared) -> bool {
    match answer.status {
        Status::Ambiguous => {
            !matches!(cx.config.model, ModelConfig::Builtin) || is_proved(prepared)
        }
        status => !may_be_improved(status),
    }
}

/// Whether names and values alone prove that the question has several readings, which no engine can change. A doubt
/// that the rest of the question may settle is left to an engine that can reason. In a follow-up, names may refer to
/// earlier turns.
fn is_proved(prepared: &Prepared) -> bool {
    let context = &prepared.context;
    let doubt = || {
        builtin::ambiguity(
            &prepared.understanding,
            &context.tables,
            &context.definitions,
        )
    };
    prepared.turns.is_empty() && doubt().is_some_and(|doubt| !doubt.may_be_settled)
}

/// The first reading of an ambiguous question as the next question, where the configuration says not to ask the caller. The
/// choice is recorded as an assumption.
fn chosen_reading(
    cx: &Run<'_>,
    outcome: &mut Outcome,
    assumptions: &mut Vec<String>,
) -> Option<Question> {
    let (Outcome::Answered(answer, _) | Outcome::Declined(answer)) = outcome else {
        return None;
    };
    let chooses = cx.config.reading.on_ambiguity == WhenAmbiguous::Choose
        && answer.status == Status::Ambiguous
        && assumptions.len() < MAX_CHOICES;
    let first = answer.readings.first().filter(|_| chooses)?;
    let reading = Question::new(first).ok()?;
    let back = answer.sentence.take().unwrap_or_default();
    assumptions.push(format!("{back} Answered: {}", reading.as_str()));
    cx.trace.borrow_mut().standalone = Some(reading.as_str().to_owned());
    Some(reading)
}
