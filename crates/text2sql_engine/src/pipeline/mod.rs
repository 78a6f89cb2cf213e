//! The order of the stages and the one loop back. Nothing else knows either.
//!
//! ```text
//! question ─ retrieve ─ rewrite ─ replay ─ route ─ prompt ─ generate ─ validate and execute ─ judge ─ answer
//!                                                             ▲                                │
//!                                                             └──── repair, bounded ───────────┘
//! ```
//!
//! Validating and executing are one call of the database port, because the tree that was judged is
//! the tree that runs.

mod candidates;
mod dialogue;
mod known;
mod reading;
pub mod revise;
mod steps;
mod withheld;

use std::cell::RefCell;
use std::sync::Arc;
use text2sql_domain::context::Run;

use serde_json::{Value, json};

use self::candidates::solve_by_agreement;
use self::dialogue::{Attempt, Dialogue, Step, Task};
use self::reading::{Read, Understood, chosen, read, understand};
pub use self::reading::{find, whole};
use self::steps::StepRows;
pub use self::withheld::LeftOut;
use crate::answering::{answer, decline, filled_sentence, plain_sentence, with_extent};
use crate::conversation::Turn;
use crate::generate::{Conversation, generate};
use crate::narrate::{narrate, narrator};
use crate::rewrite;
use crate::strategy_choice::strategies;
use crate::verified::{self, ColumnName};
use text2sql_builtin as builtin;
use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::confidence::Signal;
use text2sql_domain::config::{Config, Egress, ModelConfig};
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::SearchIndex;
use text2sql_domain::ports::{Catalog, Database, Outcome, Session, Transport};
use text2sql_domain::proposal::{Proposal, SqlProposal};
use text2sql_domain::question::Question;
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_domain::trace::{StageTrace, Trace};
use text2sql_models::prompt::{Prompt, render, table_chars};
use text2sql_retrieval::{Context, few_shot_examples, retrieve, search_words};

/// How many forbidden names an answer may list.
const MAX_FORBIDDEN_NAMES: usize = 3;

/// How many times a reading is chosen before its own readings are the answer.
const MAX_CHOICES: usize = 3;

/// SQL that passed the guard but was not run, or why there is none.
pub type Written = Result<WrittenSql, Box<Answer>>;

/// SQL that passed the guard, and what the question asks that it does not give.
#[derive(Debug)]
pub struct WrittenSql {
    /// The query.
    pub sql: String,
    /// The columns that it gives.
    pub columns: Vec<ResultColumn>,
    /// What it leaves out.
    pub left_out: LeftOut,
}

/// Answers a question with rows.
pub fn ask(cx: &Run<'_>, question: &Question) -> Result<Answer, Error> {
    ask_after(cx, question, &[])
}

/// Answers a question that may go on from earlier ones, oldest first.
pub fn ask_after(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Answer, Error> {
    let mut finished = attempt(cx, question, turns)?;
    // A reading is a whole question, and may have readings itself.
    for _ in 0..MAX_CHOICES {
        let Some(reading) = chosen(cx, &finished) else {
            break;
        };
        let back = finished.sentence.take().unwrap_or_default();
        finished = attempt(cx, &reading, &[])?;
        let assumption = format!("{back} Answered: {}", reading.as_str());
        finished.links.insert(0, assumption);
        cx.trace.borrow_mut().standalone = Some(reading.as_str().to_owned());
    }
    finished.trace = cx.trace.borrow().clone();
    Ok(finished)
}

/// One way from a question to its answer.
fn attempt(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Answer, Error> {
    let run = |sql: &str| cx.database.run(sql, &cx.config.limits);
    let run = Attempt {
        attempt: &run,
        rows: match cx.config.model {
            // It is right or silent, and its worth is measured as a whole.
            ModelConfig::Builtin => |_| None,
            ModelConfig::Endpoint(_) | ModelConfig::Replay(_) => |execution| Some(execution),
        },
    };
    Ok(match read(cx, question, turns, &run)? {
        Read::Answered(answer) => *answer,
        Read::Replayed(question, context, proposal, execution) => {
            finish(cx, &question, &context, proposal, execution)?
        }
        Read::Clear(question, context) => {
            let task = Task {
                question: &question,
                context: &context,
            };
            let solved = match write_prompt(cx, &question, &context) {
                Some(prompt) if cx.config.candidates > 1 => {
                    solve_by_agreement(cx, task, &prompt, &run)?
                }
                prompt => solve(cx, task, prompt, &run)?,
            };
            match solved {
                Solved::Passed(proposal, execution) => {
                    finish(cx, &question, &context, proposal, execution)?
                }
                Solved::Ended(mut answer) => {
                    answer.warnings.extend(context.notes);
                    *answer
                }
            }
        }
    })
}

/// The answer with rows, with what the question took for granted.
fn finish(
    cx: &Run<'_>,
    question: &Question,
    context: &Context,
    mut proposal: SqlProposal,
    execution: Execution,
) -> Result<Answer, Error> {
    rewrite::state(&context.facts, &mut proposal);
    known::look(cx, context, &mut proposal, &execution)?;
    let left_out = withheld::left_out(cx, question, context, &proposal)?;
    let sentence = sentence(cx, question, &proposal, &execution)?;
    // What was measured are answers with rows: that nothing was found may as well mean that the question was
    // misread.
    let says_nothing = proposal.emptiness.is_some() && known::is_nothing(&execution);
    let confidence = confidence(cx, &proposal).filter(|_| !says_nothing);
    let mut answer = Answer {
        confidence,
        ..answer(proposal, execution, sentence)
    };
    answer.withheld = left_out.withheld;
    answer.warnings.extend(left_out.missing);
    answer.warnings.extend(context.notes.iter().cloned());
    Ok(answer)
}

/// Writes the SQL for a question without running it.
pub fn write(cx: &Run<'_>, question: &Question) -> Result<Written, Error> {
    write_after(cx, question, &[])
}

/// Writes the SQL for a question that may go on from earlier ones, oldest first, without running it.
pub fn write_after(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Written, Error> {
    let mut finished = attempt_to_write(cx, question, turns)?;
    let mut assumptions = Vec::new();
    for _ in 0..MAX_CHOICES {
        let Err(answer) = &mut finished else {
            break;
        };
        let Some(reading) = chosen(cx, answer) else {
            break;
        };
        let back = answer.sentence.take().unwrap_or_default();
        assumptions.push(format!("{back} Answered: {}", reading.as_str()));
        finished = attempt_to_write(cx, &reading, &[])?;
        cx.trace.borrow_mut().standalone = Some(reading.as_str().to_owned());
    }
    if let Ok(written) = &mut finished {
        written.left_out.missing.splice(0..0, assumptions);
    }
    Ok(finished)
}

fn attempt_to_write(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Written, Error> {
    let check = |sql: &str| cx.database.check(sql, &cx.config.limits);
    let check = Attempt {
        attempt: &check,
        rows: |_| None,
    };
    let (question, context) = match read(cx, question, turns, &check)? {
        Read::Answered(answer) => return Ok(Err(answer)),
        Read::Replayed(question, context, proposal, columns) => {
            return written(cx, &question, &context, proposal, columns);
        }
        Read::Clear(question, context) => (question, context),
    };
    let task = Task {
        question: &question,
        context: &context,
    };
    let prompt = write_prompt(cx, &question, &context);
    Ok(match solve(cx, task, prompt, &check)? {
        Solved::Passed(proposal, columns) => {
            return written(cx, &question, &context, proposal, columns);
        }
        Solved::Ended(answer) => Err(answer),
    })
}

fn written(
    cx: &Run<'_>,
    question: &Question,
    context: &Context,
    proposal: SqlProposal,
    columns: Vec<ResultColumn>,
) -> Result<Written, Error> {
    let left_out = withheld::left_out(cx, question, context, &proposal)?;
    Ok(Ok(WrittenSql {
        sql: proposal.sql,
        columns,
        left_out,
    }))
}

/// Renders what would be sent for a question that may go on from earlier ones, without sending it.
pub fn preview(cx: &Run<'_>, question: &Question, turns: &[Turn]) -> Result<Prompt, Error> {
    let Understood {
        question, context, ..
    } = understand(cx, question, turns)?;
    let prompt = prompt(cx, &question, &context);
    let strategy = strategies(cx.config.strategy, &question, 1)
        .into_iter()
        .next();
    Ok(Conversation::preview(prompt, strategy, cx.config.max_steps))
}

enum Solved<T> {
    Passed(SqlProposal, T),
    Ended(Box<Answer>),
}

/// What is retrieved for a question.
fn gather(cx: &Run<'_>, question: &Question) -> Result<Context, Error> {
    let mut context = cx.stage("retrieve", || retrieve(cx, question, table_chars))?;
    few_shot_examples::leave_out_superseded(&mut context.examples);
    cx.trace.borrow_mut().context.clone_from(&context.tables);
    let names: Vec<String> = context
        .tables
        .iter()
        .map(|table| table.sql_name())
        .collect();
    let examples: Vec<u32> = context.examples.iter().map(|example| example.id).collect();
    cx.note(
        json!({"question": question.as_str()}),
        json!({"tables": names, "whole_schema": context.is_whole, "examples": examples}),
    );
    Ok(context)
}

/// The answer of a verified example that asks the same, up to literals: without a model.
fn replayed<T>(
    cx: &Run<'_>,
    task: Task<'_>,
    trial: &Attempt<'_, T>,
) -> Result<Option<(SqlProposal, T)>, Error> {
    let Task { question, context } = task;
    if !cx.config.stages.replay {
        return Ok(None);
    }
    for example in &context.examples {
        let known = |column: &ColumnName, text: &str| {
            verified::stored_value(cx.index, &context.tables, &example.sql, column, text)
        };
        let Some(sql) = verified::replay(example, question.as_str(), &known) else {
            continue;
        };
        let outcome = cx.stage("replay", || (trial.attempt)(&sql))?;
        cx.note(
            json!({"example": example.id, "sql": sql}),
            outcome.summary(),
        );
        if let Outcome::Passed(result) = outcome {
            let proposal = SqlProposal {
                sql,
                verified_by: Some(example.verified_by.clone()),
                ..SqlProposal::default()
            };
            return Ok(Some((proposal, result)));
        }
    }
    Ok(None)
}

/// From the question to SQL for which `attempt` gave a result.
fn solve<T: StepRows>(
    cx: &Run<'_>,
    task: Task<'_>,
    prompt: Option<Prompt>,
    attempt: &Attempt<'_, T>,
) -> Result<Solved<T>, Error> {
    let strategy = strategies(cx.config.strategy, task.question, 1)
        .into_iter()
        .next();
    let conversation = Conversation::new(prompt, strategy).with_steps(cx.config.max_steps);
    let dialogue = Dialogue::<T>::new(cx, conversation, task.context);
    pursue(cx, task, dialogue, attempt)
}

/// Goes on with a dialogue until it gives a result or no further repair makes sense.
fn pursue<T: StepRows>(
    cx: &Run<'_>,
    task: Task<'_>,
    mut dialogue: Dialogue<T>,
    attempt: &Attempt<'_, T>,
) -> Result<Solved<T>, Error> {
    let Task { question, context } = task;
    loop {
        let generated = cx.stage("generate", || {
            generate(cx, question, context, &mut dialogue.conversation)
        });
        let step = match generated {
            Ok(generated) => {
                cx.note(dialogue.summary(), generated.summary());
                dialogue.take(cx, task, generated, attempt)?
            }
            Err(error) => {
                cx.note(dialogue.summary(), json!({"error": error.message()}));
                dialogue.best_or_error(error)?
            }
        };
        match step {
            Step::Passed(proposal, result) => return Ok(Solved::Passed(proposal, result)),
            Step::Ended(answer) => return Ok(Solved::Ended(answer)),
            Step::Declined(proposal) => {
                return Ok(ended(route(cx, question, proposal, &context.tables)?));
            }
            Step::Again => {}
        }
    }
}

fn ended<T>(answer: Answer) -> Solved<T> {
    Solved::Ended(Box::new(answer))
}

/// The answer to a question for which there is no SQL.
fn route(
    cx: &Run<'_>,
    question: &Question,
    proposal: Proposal,
    tables: &[Arc<Table>],
) -> Result<Answer, Error> {
    Ok(match proposal {
        Proposal::Ambiguous { question, readings } => Answer {
            readings,
            ..Answer::without_rows(Status::Ambiguous, question)
        },
        Proposal::Unanswerable {
            reason,
            missing,
            nearest,
        } => {
            let mut words = search_words(&missing.join(" "));
            if words.is_empty() && !matches!(cx.config.model, ModelConfig::Builtin) {
                words = search_words(question.as_str());
            }
            // A word that a readable table explains needs no other table.
            words.retain(|word| {
                !tables
                    .iter()
                    .any(|table| table.name.to_lowercase().contains(word.as_str()))
            });
            let forbidden = match words.as_slice() {
                [] => Vec::new(),
                words => cx.catalog.find_forbidden(words, MAX_FORBIDDEN_NAMES)?,
            };
            if forbidden.is_empty()
                && let Some(answer) =
                    withheld::closed_columns(cx, &withheld::names_of(question, words), tables)?
            {
                return Ok(answer);
            }
            decline(cx.config, &cx.session.user(), reason, &nearest, &forbidden)
        }
        Proposal::Sql(proposal) => Answer {
            sql: Some(proposal.sql),
            ..Answer::without_rows(Status::Failed, "the query was not run")
        },
    })
}

/// What a model gets to read; the built-in engine reads no prompt.
fn write_prompt(cx: &Run<'_>, question: &Question, context: &Context) -> Option<Prompt> {
    if matches!(cx.config.model, ModelConfig::Builtin) {
        return None;
    }
    let written = cx.stage("prompt", || prompt(cx, question, context));
    cx.note(
        json!({"tables": context.tables.len(), "budget": cx.config.max_schema_chars}),
        json!({"characters": written.chars()}),
    );
    cx.trace.borrow_mut().prompt_chars = written.chars();
    Some(written)
}

fn prompt(cx: &Run<'_>, question: &Question, context: &Context) -> Prompt {
    let (version, today) = (cx.session.server_version(), cx.session.today());
    render(question, context, cx.config, &version, &today)
}

/// How likely the answer is right, where somebody measured that: of a query that a person verified,
/// nobody needs to.
fn confidence(cx: &Run<'_>, proposal: &SqlProposal) -> Option<f64> {
    if proposal.verified_by.is_some() {
        return None;
    }
    if matches!(cx.config.model, ModelConfig::Builtin) {
        return builtin::confidence::confidence(&proposal.sql);
    }
    let (fit, score) = (cx.config.confidence?, proposal.score.as_ref()?);
    Some(fit.probability(Signal {
        score: score.total(),
        agreement: score.agreement_share(),
    }))
}

/// The sentence of an answer with rows: the proposal's own, else one that a model may write
/// about the rows, else a plain one.
fn sentence(
    cx: &Run<'_>,
    question: &Question,
    proposal: &SqlProposal,
    execution: &Execution,
) -> Result<Option<String>, Error> {
    if !cx.config.enable_narration {
        return Ok(None);
    }
    if proposal.told.is_some() {
        return Ok(proposal.told.clone());
    }
    let filled = cx.stage("answer", || filled_sentence(question, proposal, execution));
    cx.note(
        json!({"rows": execution.rows.len(), "truncated": execution.is_truncated}),
        json!({"sentence": proposal.sentence, "usable": filled.is_some()}),
    );
    if let Some(sentence) = filled {
        return Ok(Some(with_extent(sentence, execution)));
    }
    if let Some(endpoint) = narrator(cx, execution) {
        let told = cx.stage("narrate", || narrate(cx, endpoint, question, execution))?;
        cx.note(
            json!({"rows": execution.rows.len()}),
            json!({"supported": told.is_some()}),
        );
        if let Some(sentence) = told {
            return Ok(Some(with_extent(sentence, execution)));
        }
    }
    Ok(Some(plain_sentence(execution)))
}
