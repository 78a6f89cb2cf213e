//! The question-answering pipeline.
//!
//! ```text
//! understand ─ retrieve ─ interpret ─ replay ─ route ─ prompt ─ generate ─ validate and execute ─ judge ─ answer
//!                                                                 ▲                                 │
//!                                                                 └─────── repair, bounded ─────────┘
//! ```
//!
//! Every function here decides what is asked for ([`asked`]) and sends it the one way there is ([`solve`], whose list of
//! stages is the order of everything that can happen). Around it are only three questions: are texts asked as well
//! ([`both_sides`]), is the question several ([`several`]), and what does the caller get of it ([`answer`]).
//!
//! The question is tokenized once, into an `Understanding` that every stage reads. Validation and
//! execution are one call of the database port, so that the validated parse tree is the one that runs.

mod answer;
mod asked;
mod both_sides;
mod candidates;
mod dialogue;
mod generate_sql;
mod in_order;
mod mending;
mod plan;
mod prepare;
mod replay;
mod revise;
mod revise_script;
mod several;
mod solve;

use std::sync::Arc;

pub use self::answer::{Written, WrittenSql, answer_approved};
use self::asked::{Asked, Failed, Parts};
pub use self::both_sides::{preview_texts, with_texts};
pub use self::generate_sql::generate_sql;
pub use self::in_order::failed_answer;
pub use self::plan::plan;
use self::prepare::Understood;
pub use self::prepare::find;
pub use self::revise::{Revised, revise};
pub use self::revise_script::{Problems, ScriptRevised, revise_script};
use crate::conversation::Turn;
pub use crate::stages::withheld::Omitted;
use crate::stages::{prompt, score};
use text2sql_domain::answer::Answer;
use text2sql_domain::engines::{Engines, OnlyEngine};
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::score::Score;
use text2sql_models::prompt::Prompt;

/// Answers a question with the rows of one statement, by the configured model. `turns` are the earlier turns of the
/// conversation, oldest first.
pub fn ask(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Answer, Error> {
    ask_in_order(cx, &OnlyEngine::of(cx.config), question, turns)
}

/// The same, by the first engine that is sure.
pub fn ask_in_order(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Answer, Error> {
    let asked = Asked::for_rows(cx.config, engines, question, turns, Parts::Whole);
    several::answer(cx, &asked)
}

/// Answers a question for a caller with room for one result. One that consists of several is not answered: the
/// answer names them.
pub fn ask_one(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Answer, Error> {
    let asked = Asked::for_rows(cx.config, engines, question, turns, Parts::Named);
    several::answer(cx, &asked)
}

/// Answers a question with rows, with passages of texts, or with both. `failed` is the answer where an endpoint failed,
/// while other parts of the question keep theirs.
pub fn ask_all(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
    failed: &Failed<'_>,
) -> Result<Answer, Error> {
    let parts = Parts::Answered(failed);
    let asked = Asked::for_rows(cx.config, engines, question, turns, parts);
    both_sides::answer(cx, &asked, failed)
}

/// The same with one result of the tables, of the question as a whole.
pub fn ask_all_as_one(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
    failed: &Failed<'_>,
) -> Result<Answer, Error> {
    let asked = Asked::for_rows(cx.config, engines, question, turns, Parts::Whole);
    both_sides::answer(cx, &asked, failed)
}

/// Writes the SQL for a question without running it, by the configured model.
pub fn write(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Written, Error> {
    write_in_order(cx, &OnlyEngine::of(cx.config), question, turns)
}

/// The same, by the first engine that is sure.
pub fn write_in_order(
    cx: &Run<'_>,
    engines: &dyn Engines,
    question: &Question,
    turns: &[Turn],
) -> Result<Written, Error> {
    let asked = Asked::for_sql(engines, question, turns, Parts::Named);
    several::write(cx, &asked)
}

/// Renders the prompt for a question without sending it.
pub fn preview(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Prompt, Error> {
    let prepared = Understood::of(cx, question, turns)?.prepare(cx, false)?;
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
    let prepared = Understood::of(cx, question, turns)?.prepare(cx, false)?;
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
