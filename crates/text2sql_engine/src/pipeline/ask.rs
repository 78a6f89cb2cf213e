//! Answers a question with the rows of one statement, or holds its query back until it is approved.

use super::attempt::{Attempt, Statement};
use super::solve::solve_with_readings;
use super::{answer, hold};
use crate::conversation::Turn;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;

/// Answers a question with the rows of one statement, by the configured model. `turns` are the earlier turns of the
/// conversation, oldest first.
pub fn ask(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Answer, Error> {
    ask_in_order(cx, &OnlyEngine::of(cx.config), question, turns)
}

/// Answers a question with rows, by the first engine that is sure.
pub fn ask_in_order(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Answer, Error> {
    ask_and(cx, engines, question, turns, |_, answer| Ok(answer))
}

/// The same; `finish` may replace the answer, in the run of the engine that gave it. Where approval applies, it does so
/// only for a question that was not answered.
pub(super) fn ask_and(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
    finish: impl FnOnce(&Run<'_>, Answer) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    if cx.config.approval.applies() {
        return ask_or_hold(cx, engines, question, turns, finish);
    }
    let run = |cx: &Run<'_>, statement: &Statement<'_>| {
        cx.database.run(statement.sql(), &cx.config.limits)
    };
    let attempt = Attempt::of_rows(cx.config, &run);
    let (chosen, assumptions) = solve_with_readings(cx, engines, question, turns, &attempt)?;
    cx.with_engine(&chosen.engine, |cx| {
        finish(cx, answer::with_rows(cx, chosen.given, assumptions)?)
    })
}

/// Answers a question with rows, unless its query has to wait for approval.
fn ask_or_hold(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
    finish: impl FnOnce(&Run<'_>, Answer) -> Result<Answer, Error>,
) -> Result<Answer, Error> {
    let gate = hold::Gate::default();
    let run = |cx: &Run<'_>, statement: &Statement<'_>| gate.run_or_check(cx, statement);
    let attempt = Attempt::of_held(&run);
    let (chosen, assumptions) = solve_with_readings(cx, engines, question, turns, &attempt)?;
    cx.with_engine(&chosen.engine, |cx| match hold::sorted(chosen.given) {
        Ok(end) => match answer::with_rows(cx, end, assumptions)? {
            answer if answer.status == Status::Unanswerable => finish(cx, answer),
            answer => Ok(answer),
        },
        Err(solved) => answer::waiting(cx, *solved, assumptions, gate.into_reasons()),
    })
}
