//! The question-answering pipeline. Only this module knows the order of the stages.
//!
//! ```text
//! understand ─ retrieve ─ interpret ─ replay ─ route ─ prompt ─ generate ─ validate and execute ─ judge ─ answer
//!                                                                 ▲                                 │
//!                                                                 └─────── repair, bounded ─────────┘
//! ```
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
pub mod interpret;
mod multi_step_progress;
mod named_periods;
mod not_followed;
mod prompt;
mod replay_verified_example;
mod retrieve;
mod revise;
mod route;
mod row_notes;
mod score;
mod understand;
mod withheld;
mod write_sql;

use std::sync::Arc;

pub use self::answer::{Written, WrittenSql};
use self::attempt::{Attempt, End};
use self::choose_tables::choose_tables;
use self::decline::unresolved_follow_up;
use self::interpret::{Interpreted, interpret};
use self::multi_step_progress::StepRows;
use self::prompt::prompt;
use self::replay_verified_example::replay;
use self::retrieve::retrieve;
pub use self::revise::Revised;
use self::route::route;
use self::understand::{recall, understand};
pub use self::withheld::Omitted;
use self::write_sql::write_sql;
use crate::conversation::Turn;
use text2sql_builtin::Doubt;
use text2sql_domain::answer::Answer;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_language::understanding::Understanding;
use text2sql_models::prompt::Prompt;
use text2sql_retrieval::Context;

/// Answers a question with rows. `turns` are the earlier turns of the conversation, oldest first.
pub fn ask(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Answer, Error> {
    let run = |sql: &str| cx.database.run(sql, &cx.config.limits);
    let (end, assumptions) =
        solve_with_readings(cx, question, turns, &Attempt::of_rows(cx.config, &run))?;
    answer::with_rows(cx, end, assumptions)
}

/// Writes the SQL for a question without running it. `turns` are the earlier turns, oldest first.
pub fn write(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Written, Error> {
    let check = |sql: &str| cx.database.check(sql, &cx.config.limits);
    let (end, assumptions) =
        solve_with_readings(cx, question, turns, &Attempt::of_columns(&check))?;
    answer::with_sql(cx, end, assumptions)
}

/// Renders the prompt for a question without sending it.
pub fn preview(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Prompt, Error> {
    let prepared = prepare(cx, question, turns)?;
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
    let prepared = prepare(cx, question, turns)?;
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    score::of_given(cx, understanding, context, !turns.is_empty(), sql, named)
}

/// Changes the query `given`, which reads `tables`, as requested.
pub fn revise(
    cx: &Run<'_>,
    request: &Question,
    given: &str,
    tables: &[Arc<Table>],
) -> Result<Revised, Error> {
    let (understanding, _) = understand(cx, request, &[]);
    let context = retrieve(cx, &understanding, &[])?;
    revise::of_given(cx, &understanding, context, given, tables)
}

/// Solves a question. If the answer is a set of readings and one of them may be chosen, solves that
/// reading instead. Also returns the assumptions made.
fn solve_with_readings<T: StepRows>(
    cx: &Run<'_>,
    question: &Question,
    turns: &[Turn],
    attempt: &Attempt<'_, T>,
) -> Result<(End<T>, Vec<String>), Error> {
    let mut assumptions = Vec::new();
    let mut end = solve(cx, prepare(cx, question, turns)?, attempt)?;
    while let Some(reading) = chosen_reading::of_reading(cx, &mut end, &mut assumptions) {
        end = solve(cx, prepare(cx, &reading, &[])?, attempt)?;
    }
    Ok((end, assumptions))
}

/// A complete question with the context retrieved for it.
struct Prepared {
    understanding: Understanding,
    context: Context,
    /// The earlier turns that the caller may still read.
    turns: Vec<Turn>,
    /// Whether it is a follow-up that cannot be resolved.
    is_unresolved: bool,
    /// What is doubtful by its names and values alone.
    doubt: Option<Doubt>,
}

/// Runs the stages up to a complete question. Every entry point starts with them.
fn prepare(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Prepared, Error> {
    let turns = recall(cx, turns)?;
    let (understanding, is_reading) = understand(cx, question, &turns);
    let mut context = retrieve(cx, &understanding, &turns)?;
    let Interpreted {
        understanding,
        is_unresolved,
    } = interpret(cx, understanding, is_reading, &turns, &mut context)?;
    let doubt = route::doubt(cx, &understanding, &context, turns.is_empty());
    if let Some(doubt) = &doubt {
        context.facts.readings = route::left_to_model(doubt, cx.egress()).to_vec();
    }
    Ok(Prepared {
        understanding,
        context,
        turns,
        is_unresolved,
        doubt,
    })
}

/// Runs the stages from a complete question to SQL that passes `attempt`.
fn solve<T: StepRows>(
    cx: &Run<'_>,
    mut prepared: Prepared,
    attempt: &Attempt<'_, T>,
) -> Result<End<T>, Error> {
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    if prepared.is_unresolved {
        return Ok(End::Answered(Box::new(unresolved_follow_up(
            &prepared.turns,
        ))));
    }
    if let Some(passed) = replay(cx, understanding, context, attempt)? {
        return Ok(End::solved(
            prepared.understanding,
            prepared.context,
            passed,
        ));
    }
    if let Some(answer) = route(cx, understanding, context, prepared.doubt) {
        return Ok(End::Answered(Box::new(answer)));
    }
    choose_tables(cx, &prepared.understanding, &mut prepared.context)?;
    let (understanding, context) = (&prepared.understanding, &prepared.context);
    let conversations = prompt(cx, understanding, context, attempt.candidates);
    match write_sql(cx, understanding, context, conversations, attempt)? {
        Ok(passed) => Ok(End::solved(
            prepared.understanding,
            prepared.context,
            passed,
        )),
        Err(answer) => Ok(End::declined(answer, prepared.context)),
    }
}
