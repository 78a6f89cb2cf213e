//! The order of the stages, from a question to SQL that passes.

use super::attempt::{Attempt, Basis, End, Unsolved};
use super::choose_tables::choose_tables;
use super::decline::unresolved_follow_up;
use super::in_order::{self, Chosen, in_order};
use super::multi_step_progress::StepRows;
use super::prepare::{Asked, Prepared};
use super::prompt::prompt;
use super::replay_verified_example::replay;
use super::route::route;
use super::write_sql::write_sql;
use super::{chosen_reading, named_periods, sureness};
use crate::conversation::Turn;
use text2sql_domain::engines::{Engines, NotLessTrusted};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;

/// Solves a question. If the answer is a set of readings and one of them may be chosen, solves that
/// reading instead. Also returns the assumptions made.
pub(super) fn solve_with_readings<T: StepRows>(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
    attempt: &Attempt<'_, T>,
) -> Result<(Chosen<End<T>>, Vec<String>), Error> {
    let mut assumptions = Vec::new();
    let mut chosen = solve_in_order(cx, engines, question, turns, attempt)?;
    while let Some(reading) = chosen_reading::of_reading(cx, &mut chosen.given, &mut assumptions) {
        attempt.has_chosen_reading.set(true);
        let engines = NotLessTrusted::than(&chosen.engine, engines);
        chosen = solve_in_order(cx, &engines, &reading, &[], attempt)?;
    }
    Ok((chosen, assumptions))
}

/// Solves a question by the first engine that is sure.
fn solve_in_order<T: StepRows>(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
    attempt: &Attempt<'_, T>,
) -> Result<Chosen<End<T>>, Error> {
    let places = in_order::places(engines, true);
    let mut asked: Option<Asked> = None;
    in_order(cx, engines, &places, |cx, has_next| {
        let is_first = asked.is_none();
        let asked = match &mut asked {
            Some(asked) => asked,
            none => none.insert(Asked::of(cx, question, turns)?),
        };
        let prepared = asked.prepare(cx, has_next)?;
        solve(cx, prepared, attempt, InTurn { is_first, has_next })
    })
}

/// The place of an engine among those of a question.
#[derive(Clone, Copy)]
struct InTurn {
    is_first: bool,
    has_next: bool,
}

/// Runs the stages from a complete question to SQL that passes `attempt`.
fn solve<T: StepRows>(
    cx: &Run<'_>,
    mut prepared: Prepared,
    attempt: &Attempt<'_, T>,
    turn: InTurn,
) -> Result<End<T>, Error> {
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    if prepared.is_unresolved {
        let answer = unresolved_follow_up(cx, understanding, &prepared.turns);
        return Ok(End::Answered(Box::new(answer), Basis::UnsureEngine));
    }
    if turn.is_first
        && let Some(passed) = replay(cx, understanding, context, attempt)?
    {
        return Ok(End::solved(
            prepared.understanding,
            prepared.context,
            passed,
        ));
    }
    if let Some(answer) = route(cx, understanding, context, prepared.doubt.take()) {
        return Ok(End::Answered(Box::new(answer), Basis::Names));
    }
    choose_tables(cx, &prepared.understanding, &mut prepared.context)?;
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    let (candidates, takes_parts) = (attempt.candidates, attempt.takes_parts);
    let conversations = prompt(cx, understanding, context, candidates, takes_parts);
    match write_sql(cx, understanding, context, conversations, attempt)? {
        Ok(passed) => Ok(End::solved(
            prepared.understanding,
            prepared.context,
            passed,
        )),
        Err(Unsolved::Answered(answer)) => {
            let answer = Box::new(named_periods::with_hint(*answer, &prepared.context.facts));
            let basis = match turn.has_next {
                true => sureness::basis(cx, &answer, &prepared),
                false => Basis::UnsureEngine,
            };
            Ok(End::declined(answer, basis, prepared.context))
        }
        Err(Unsolved::Several(parts)) => Ok(End::Several(parts)),
    }
}
