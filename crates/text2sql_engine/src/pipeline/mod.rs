//! The question-answering pipeline. Only `solve` and `prepare` know the order of the stages.
//!
//! ```text
//! understand ─ retrieve ─ interpret ─ replay ─ route ─ prompt ─ generate ─ validate and execute ─ judge ─ answer
//!                                                                 ▲                                 │
//!                                                                 └─────── repair, bounded ─────────┘
//! ```
//!
//! The engines go this way one after another until one is sure (`in_order`); a verified example is looked for once.
//!
//! The question is tokenized once, into an `Understanding` that every stage reads. Validation and
//! execution are one call of the database port, so that the validated parse tree is the one that runs.

mod agreement;
mod answer;
mod approved;
mod ask;
mod attempt;
mod both_sides;
mod choose_tables;
mod chosen_reading;
mod decline;
mod dialogue;
mod find;
mod generate_sql;
mod hold;
mod in_order;
pub mod interpret;
mod multi_step_progress;
mod named_periods;
mod not_followed;
mod one_result;
mod plan;
mod prepare;
mod prompt;
mod replay_verified_example;
mod retrieve;
mod revise;
mod revise_script;
mod rights;
mod route;
mod row_notes;
mod score;
mod several;
mod solve;
mod sureness;
mod tried;
mod understand;
mod withheld;
mod write_sql;

use std::sync::Arc;

pub use self::answer::{Written, WrittenSql};
pub use self::approved::answer_approved;
pub use self::ask::{ask, ask_in_order};
use self::attempt::{Attempt, Statement};
pub use self::both_sides::{ask_all, ask_all_as_one, preview_texts, with_texts};
pub use self::find::find;
pub use self::generate_sql::generate_sql;
pub use self::in_order::failed_answer;
use self::in_order::in_order;
pub use self::plan::plan;
use self::prepare::Asked;
use self::prompt::prompt;
use self::retrieve::retrieve;
pub use self::revise::Revised;
pub use self::revise_script::{Problems, ScriptRevised, revise_script};
use self::route::route;
pub use self::several::ask_one;
use self::solve::solve_with_readings;
use self::understand::understand;
pub use self::withheld::Omitted;
use crate::conversation::Turn;
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_models::prompt::Prompt;

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
    score::of_given(
        cx,
        understanding,
        context,
        crate::conversation::needs_earlier(!turns.is_empty(), understanding),
        sql,
        named,
    )
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
