//! The order of the stages and the one loop back. Nothing else knows either.
//!
//! ```text
//! question ─ retrieve ─ prompt ─ generate ─ validate and execute ─ judge ─ answer
//!                                   ▲                                │
//!                                   └──── repair, bounded ───────────┘
//! ```
//!
//! Validating and executing are one call of the database port, because the tree that was judged is
//! the tree that runs.

use std::cell::RefCell;
use std::sync::Arc;

use crate::answer::{Answer, Status, answer, decline, refuse};
use crate::config::{Config, Egress, ModelConfig};
use crate::error::Error;
use crate::generate::{Conversation, Generated, generate};
use crate::judge::{judge_error, judge_rejection};
use crate::ports::{Catalog, Database, Outcome, Session, Transport};
use crate::prompt::{Prompt, render, render_repair};
use crate::proposal::{Proposal, SqlProposal};
use crate::question::Question;
use crate::retrieve::index::SearchIndex;
use crate::retrieve::{Context, retrieve, search_words};
use crate::schema::Table;
use crate::sql_result::ResultColumn;
use crate::trace::{StageTrace, Trace};

/// How many forbidden names an answer may list.
const MOST_FORBIDDEN_NAMES: usize = 3;

/// Everything one question runs with.
pub struct Run<'a> {
    /// What the caller may read.
    pub catalog: &'a dyn Catalog,
    /// Finds what a question is about; [`NoIndex`](crate::retrieve::index::NoIndex) where none was built.
    pub index: &'a dyn SearchIndex,
    /// Judges and runs generated SQL.
    pub database: &'a dyn Database,
    /// Speaks to endpoints.
    pub transport: &'a dyn Transport,
    /// Clock and notices.
    pub session: &'a dyn Session,
    /// What this run may vary.
    pub config: &'a Config,
    /// What it did.
    pub trace: RefCell<Trace>,
}

/// SQL that passed the guard but was not run, or why there is none.
pub type Written = Result<(String, Vec<ResultColumn>), Box<Answer>>;

/// Answers a question with rows.
pub fn ask(cx: &Run<'_>, question: &Question) -> Result<Answer, Error> {
    let run = |sql: &str| cx.database.run(sql, &cx.config.limits);
    let mut finished = match solve(cx, question, &run)? {
        Solved::Passed(proposal, execution) => cx.stage("answer", || {
            answer(cx.config, question, proposal, execution)
        }),
        Solved::Ended(answer) => *answer,
    };
    finished.trace = cx.trace.borrow().clone();
    Ok(finished)
}

/// Writes the SQL for a question without running it.
pub fn write(cx: &Run<'_>, question: &Question) -> Result<Written, Error> {
    let check = |sql: &str| cx.database.check(sql, &cx.config.limits);
    Ok(match solve(cx, question, &check)? {
        Solved::Passed(proposal, columns) => Ok((proposal.sql, columns)),
        Solved::Ended(answer) => Err(answer),
    })
}

/// Renders what would be sent for a question, without sending it.
pub fn preview(cx: &Run<'_>, question: &Question) -> Result<Prompt, Error> {
    let context = retrieve(cx, question)?;
    Ok(cx.prompt(question, &context))
}

enum Solved<T> {
    Passed(SqlProposal, T),
    Ended(Box<Answer>),
}

/// From the question to SQL for which `attempt` gave a result.
fn solve<T>(
    cx: &Run<'_>,
    question: &Question,
    attempt: &dyn Fn(&str) -> Result<Outcome<T>, Error>,
) -> Result<Solved<T>, Error> {
    let context = cx.stage("retrieve", || retrieve(cx, question))?;
    let prompt = match cx.config.model {
        ModelConfig::Builtin => None,
        _ => Some(cx.stage("prompt", || cx.prompt(question, &context))),
    };
    cx.trace.borrow_mut().prompt_chars = prompt.as_ref().map_or(0, Prompt::chars);
    let mut conversation = Conversation::new(prompt);
    let mut tried: Vec<String> = Vec::new();
    let mut repairs_left = cx.config.max_repairs;
    loop {
        let generated = cx.stage("generate", || {
            generate(cx, question, &context, &mut conversation)
        })?;
        let may_repair = repairs_left > 0 && conversation.can_repair();
        repairs_left = repairs_left.saturating_sub(1);
        let proposal = match generated {
            Generated::Proposal(Proposal::Sql(proposal)) => proposal,
            Generated::Proposal(proposal) => {
                return Ok(ended(route(cx, question, proposal, &context.tables)?));
            }
            Generated::NoSql(_) if may_repair => {
                conversation.object(render_repair("there is no SQL in the reply", &[]));
                continue;
            }
            Generated::NoSql(error) => return Err(error),
        };
        let finding = match cx.stage("execute", || attempt(&proposal.sql))? {
            Outcome::Passed(result) => return Ok(Solved::Passed(proposal, result)),
            Outcome::Rejected(rejection) => judge_rejection(rejection),
            Outcome::Failed(error) => judge_error(error, cx.egress(), &context.tables),
        };
        // A model that repeats itself will do so again.
        let repeats = tried.iter().any(|sql| same_sql(sql, &proposal.sql));
        if !may_repair || repeats {
            return Ok(ended(refuse(finding, Some(proposal.sql))));
        }
        conversation.object(render_repair(&finding.problem, &finding.names));
        tried.push(proposal.sql);
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
                words => cx.catalog.find_forbidden(words, MOST_FORBIDDEN_NAMES)?,
            };
            decline(cx.config, &cx.session.user(), reason, &nearest, &forbidden)
        }
        Proposal::Sql(proposal) => Answer {
            sql: Some(proposal.sql),
            ..Answer::without_rows(Status::Failed, "the query was not run")
        },
    })
}

fn same_sql(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

impl Run<'_> {
    /// Runs a stage, tells the person who waits, and keeps the time.
    fn stage<T>(&self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        self.session.progress(stage);
        let start = self.session.elapsed_ms();
        let result = work();
        let milliseconds = self.session.elapsed_ms() - start;
        self.trace.borrow_mut().stages.push(StageTrace {
            stage,
            milliseconds,
        });
        result
    }

    fn prompt(&self, question: &Question, context: &Context) -> Prompt {
        let (version, today) = (self.session.server_version(), self.session.today());
        render(question, context, self.config, &version, &today)
    }

    /// What may leave the server for the model of this run.
    pub fn egress(&self) -> Egress {
        match &self.config.model {
            ModelConfig::Endpoint(endpoint) => endpoint.egress,
            ModelConfig::Builtin | ModelConfig::Replay(_) => Egress::Rows,
        }
    }
}
