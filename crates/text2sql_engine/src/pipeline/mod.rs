//! The question-answering pipeline. Only this module knows the order of the stages.
//!
//! ```text
//! understand ─ retrieve ─ interpret ─ replay ─ route ─ prompt ─ generate ─ validate and execute ─ judge ─ answer
//!                                                                 ▲                                 │
//!                                                                 └─────── repair, bounded ─────────┘
//! ```
//!
//! The engines go this way one after another until one is sure ([`in_order`]); a verified example is looked for once.
//!
//! The question is tokenized once, into an [`Understanding`] that every stage reads. Validation and
//! execution are one call of the database port, so that the validated parse tree is the one that runs.

mod agreement;
mod answer;
mod attempt;
mod choose_tables;
mod chosen_reading;
mod decline;
mod dialogue;
mod hold;
mod in_order;
pub mod interpret;
mod multi_step_progress;
mod named_periods;
mod not_followed;
mod plan;
mod prepare;
mod prompt;
mod replay_verified_example;
mod retrieve;
mod revise;
mod route;
mod row_notes;
mod score;
mod several;
mod sureness;
mod tried;
mod understand;
mod withheld;
mod write_sql;

use std::sync::Arc;

pub use self::answer::{Written, WrittenSql};
use self::attempt::{Attempt, Basis, End, Statement, Unsolved};
use self::choose_tables::choose_tables;
use self::decline::unresolved_follow_up;
use self::in_order::{Chosen, in_order};
use self::multi_step_progress::StepRows;
pub use self::plan::plan;
use self::prepare::{Asked, Prepared};
use self::prompt::prompt;
use self::replay_verified_example::replay;
use self::retrieve::retrieve;
pub use self::revise::Revised;
use self::route::route;
pub use self::several::{ask_all, ask_one};
use self::understand::{recall, understand};
pub use self::withheld::Omitted;
use self::write_sql::write_sql;
use crate::conversation::Turn;
use text2sql_domain::answer::Answer;
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_models::prompt::Prompt;
use text2sql_retrieval::Context;

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
    if cx.config.approval.applies() {
        return ask_or_hold(cx, engines, question, turns);
    }
    let run = |cx: &Run<'_>, statement: &Statement<'_>| {
        cx.database.run(statement.sql(), &cx.config.limits)
    };
    let attempt = Attempt::of_rows(cx.config, &run);
    let (chosen, assumptions) = solve_with_readings(cx, engines, question, turns, &attempt)?;
    cx.with_engine(&chosen.engine, |cx| {
        answer::with_rows(cx, chosen.given, assumptions)
    })
}

/// Answers a question with rows, unless its query has to wait for approval.
fn ask_or_hold(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Answer, Error> {
    let gate = hold::Gate::default();
    let run = |cx: &Run<'_>, statement: &Statement<'_>| gate.run_or_check(cx, statement);
    let attempt = Attempt::of_held(&run);
    let (chosen, assumptions) = solve_with_readings(cx, engines, question, turns, &attempt)?;
    cx.with_engine(&chosen.engine, |cx| match hold::sorted(chosen.given) {
        Ok(end) => answer::with_rows(cx, end, assumptions),
        Err(solved) => answer::waiting(cx, *solved, assumptions, gate.into_reasons()),
    })
}

/// Answers a question with the rows of a query that was written for it before and approved since.
pub fn answer_approved(
    cx: &Run<'_>,
    question: &Question,
    approved: SqlProposal,
) -> Result<Answer, Error> {
    let prepared = Asked::of(cx, question, &[])?.prepare(cx, false)?;
    let end = hold::run_approved(cx, prepared.understanding, prepared.context, approved)?;
    answer::with_rows(cx, end, Vec::new())
}

/// Writes the SQL for a question without running it, by the configured model. `turns` are the earlier turns, oldest
/// first.
pub fn write(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Written, Error> {
    write_in_order(cx, &OnlyEngine::of(cx.config), question, turns)
}

/// Writes the SQL for a question without running it, by the first engine that is sure.
pub fn write_in_order(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Written, Error> {
    let check = |cx: &Run<'_>, statement: &Statement<'_>| {
        cx.database.check(statement.sql(), &cx.config.limits)
    };
    let attempt = Attempt::of_columns(&check);
    let (chosen, assumptions) = solve_with_readings(cx, engines, question, turns, &attempt)?;
    cx.with_engine(&chosen.engine, |cx| {
        let written = answer::with_sql(cx, chosen.given, assumptions)?;
        several::or_named(cx, question, turns, written)
    })
}

/// Renders the prompt for a question without sending it.
pub fn preview(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Prompt, Error> {
    let prepared = Asked::of(cx, question, turns)?.prepare(cx, false)?;
    Ok(prompt::preview(
        cx,
        &prepared.understanding,
        &prepared.context,
    ))
}

/// Searches the catalog for a question, even if the whole schema would fit in a prompt.
pub fn find(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Context, Error> {
    let turns = recall(cx, turns)?;
    let (understanding, _) = understand(cx, question, &turns);
    retrieve::find(cx, &understanding, &turns)
}

/// Runs `sql` under the guard and scores it for a question. `named` are the tables that `sql` references.
pub fn score(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
    sql: &str,
    named: &[Arc<Table>],
) -> Result<Score, Error> {
    let prepared = Asked::of(cx, question, turns)?.prepare(cx, false)?;
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    score::of_given(cx, understanding, context, !turns.is_empty(), sql, named)
}

/// Changes the query `given`, which reads `tables`, as requested, by the first model that is sure. The built-in engine
/// changes no query.
pub fn revise(
    cx: &Run<'_>,
    engines: &dyn Engines,
    request: &Question,
    given: &str,
    tables: &[Arc<Table>],
) -> Result<Revised, Error> {
    let models = in_order::places(engines, false);
    let (understanding, _) = understand(cx, request, &[]);
    let chosen = in_order(cx, engines, &models, |cx, _| {
        let context = retrieve(cx, &understanding, &[])?;
        revise::of_given(cx, &understanding, context, given, tables)
    })?;
    Ok(revise::noted(cx, chosen.given))
}

/// Solves a question. If the answer is a set of readings and one of them may be chosen, solves that
/// reading instead. Also returns the assumptions made.
fn solve_with_readings<T: StepRows>(
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
        chosen = solve_in_order(cx, engines, &reading, &[], attempt)?;
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
