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

use serde_json::{Value, json};

use crate::agreement;
use crate::answer::{Answer, Status, answer, decline, filled_sentence, plain_sentence, refuse};
use crate::config::{Config, Egress, ModelConfig};
use crate::error::{Error, ErrorKind};
use crate::findings;
use crate::generate::{Conversation, Generated, generate, generate_all};
use crate::judge::{RepairTrigger, feedback, judge_error, judge_rejection, judge_result, warnings};
use crate::narrate::{narrate, narrator};
use crate::ports::{Catalog, Database, Outcome, Session, Transport};
use crate::prompt::{Prompt, render, render_repair};
use crate::proposal::{Proposal, SqlProposal};
use crate::question::Question;
use crate::retrieve::index::SearchIndex;
use crate::retrieve::{Context, retrieve, search_words};
use crate::schema::Table;
use crate::sql_result::{Execution, ResultColumn};
use crate::strategy::{Strategy, strategies};
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
    let (context, prompt) = prepare(cx, question)?;
    let run = Attempt {
        attempt: &run,
        is_judged: !matches!(cx.config.model, ModelConfig::Builtin),
    };
    let solved = match prompt {
        Some(prompt) if cx.config.candidates > 1 => {
            solve_by_agreement(cx, question, &context, &prompt, &run)?
        }
        prompt => solve(cx, question, &context, prompt, &run)?,
    };
    let mut finished = match solved {
        Solved::Passed(proposal, execution) => {
            let sentence = cx.sentence(question, &proposal, &execution)?;
            answer(proposal, execution, sentence)
        }
        Solved::Ended(answer) => *answer,
    };
    finished.trace = cx.trace.borrow().clone();
    Ok(finished)
}

/// Writes the SQL for a question without running it.
pub fn write(cx: &Run<'_>, question: &Question) -> Result<Written, Error> {
    let check = |sql: &str| cx.database.check(sql, &cx.config.limits);
    let check = Attempt {
        attempt: &check,
        is_judged: false,
    };
    let (context, prompt) = prepare(cx, question)?;
    Ok(match solve(cx, question, &context, prompt, &check)? {
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

/// What a reply came to.
enum Step<T> {
    Passed(SqlProposal, T),
    Declined(Proposal),
    Ended(Box<Answer>),
    /// The model has been told what is wrong.
    Again,
}

/// How a statement is tried.
struct Attempt<'a, T> {
    /// Runs it, or only checks it.
    attempt: &'a dyn Fn(&str) -> Result<Outcome<T>, Error>,
    /// Whether what it gives is judged.
    is_judged: bool,
}

/// What is retrieved for a question, and what a model gets to read of it.
fn prepare(cx: &Run<'_>, question: &Question) -> Result<(Context, Option<Prompt>), Error> {
    let context = cx.stage("retrieve", || retrieve(cx, question))?;
    cx.trace.borrow_mut().context.clone_from(&context.tables);
    let names: Vec<String> = context
        .tables
        .iter()
        .map(|table| table.sql_name())
        .collect();
    cx.note(
        json!({"question": question.as_str()}),
        json!({"tables": names, "whole_schema": context.is_whole}),
    );
    if matches!(cx.config.model, ModelConfig::Builtin) {
        return Ok((context, None));
    }
    let prompt = cx.stage("prompt", || cx.prompt(question, &context));
    cx.note(
        json!({"tables": context.tables.len(), "budget": cx.config.context_chars}),
        json!({"characters": prompt.chars()}),
    );
    cx.trace.borrow_mut().prompt_chars = prompt.chars();
    Ok((context, Some(prompt)))
}

/// From the question to SQL for which `attempt` gave a result.
fn solve<T>(
    cx: &Run<'_>,
    question: &Question,
    context: &Context,
    prompt: Option<Prompt>,
    attempt: &Attempt<'_, T>,
) -> Result<Solved<T>, Error> {
    let strategy = strategies(cx.config.strategy, question, 1)
        .into_iter()
        .next();
    let conversation = Conversation::new(prompt, strategy);
    pursue(
        cx,
        question,
        context,
        Dialogue::<T>::new(cx, conversation),
        attempt,
    )
}

/// Goes on with a dialogue until it gives a result or no further repair makes sense.
fn pursue<T>(
    cx: &Run<'_>,
    question: &Question,
    context: &Context,
    mut dialogue: Dialogue<T>,
    attempt: &Attempt<'_, T>,
) -> Result<Solved<T>, Error> {
    loop {
        let generated = cx.stage("generate", || {
            generate(cx, question, context, &mut dialogue.conversation)
        })?;
        cx.note(dialogue.summary(), generated.summary());
        match dialogue.take(cx, context, generated, attempt)? {
            Step::Passed(proposal, result) => return Ok(Solved::Passed(proposal, result)),
            Step::Ended(answer) => return Ok(Solved::Ended(answer)),
            Step::Declined(proposal) => {
                return Ok(ended(route(cx, question, proposal, &context.tables)?));
            }
            Step::Again => {}
        }
    }
}

/// Asks for several candidates at the same time, each by another strategy, runs them, and takes
/// the one whose rows most of them give. When none runs, the first that can be repaired is.
fn solve_by_agreement(
    cx: &Run<'_>,
    question: &Question,
    context: &Context,
    prompt: &Prompt,
    attempt: &Attempt<'_, Execution>,
) -> Result<Solved<Execution>, Error> {
    let ways = strategies(cx.config.strategy, question, cx.config.candidates);
    let mut dialogues: Vec<Dialogue<Execution>> = ways
        .into_iter()
        .map(|way| Conversation::new(Some(prompt.clone()), Some(way)))
        .map(|conversation| Dialogue::new(cx, conversation))
        .collect();
    let generated = cx.stage("generate", || {
        let conversations = dialogues
            .iter_mut()
            .map(|dialogue| &mut dialogue.conversation);
        generate_all(cx, question, conversations.collect())
    });
    let mut passed = Vec::new();
    let mut declined = Vec::new();
    let mut repairable = None;
    let mut last = None;
    for (generated, mut dialogue) in generated.into_iter().zip(dialogues) {
        let step = match generated {
            Ok(generated) => {
                cx.note(dialogue.summary(), generated.summary());
                dialogue.take(cx, context, generated, attempt)
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
            // Of several, one that the endpoint failed is one less.
            Err(error) => Err(error),
        };
        match step {
            Ok(Step::Passed(proposal, execution)) => passed.push((proposal, execution)),
            Ok(Step::Declined(proposal)) => declined.push(proposal),
            Ok(Step::Again) => repairable = repairable.or(Some(dialogue)),
            Ok(Step::Ended(answer)) => last = Some(Ok(Solved::Ended(answer))),
            Err(error) => last = Some(Err(error)),
        }
    }
    if passed.len() >= declined.len()
        && let Some(chosen) = choose(passed, cx.config.candidates)
    {
        return Ok(Solved::Passed(chosen.0, chosen.1));
    }
    if let Some(proposal) = declined.into_iter().next() {
        return Ok(ended(route(cx, question, proposal, &context.tables)?));
    }
    match (repairable, last) {
        (Some(dialogue), _) => pursue(cx, question, context, dialogue, attempt),
        (None, Some(last)) => last,
        (None, None) => Err(Error::new(
            ErrorKind::Internal,
            "no candidate was asked for",
        )),
    }
}

/// The candidate whose rows most of the `asked` give; what the others say goes into its notes.
fn choose(
    mut passed: Vec<(SqlProposal, Execution)>,
    asked: usize,
) -> Option<(SqlProposal, Execution)> {
    let results: Vec<&Execution> = passed.iter().map(|(_, execution)| execution).collect();
    let agreement = agreement::compare(&results)?;
    let (mut proposal, execution) = passed.swap_remove(agreement.chosen);
    proposal.notes.push(match agreement.ran {
        1 => format!("only 1 of {asked} candidates gave rows"),
        ran => format!(
            "{} of {ran} candidates agree on these rows",
            agreement.agreeing
        ),
    });
    proposal.notes.extend(agreement.differences);
    Some((proposal, execution))
}

/// A conversation with the model, what it has tried, and how often it may try again.
struct Dialogue<T> {
    conversation: Conversation,
    tried: Vec<String>,
    repairs_left: u32,
    /// The attempt with the fewest certain findings so far, and how many.
    best: Option<(SqlProposal, T, usize)>,
}

impl<T> Dialogue<T> {
    fn new(cx: &Run<'_>, conversation: Conversation) -> Self {
        Self {
            conversation,
            tried: Vec::new(),
            repairs_left: cx.config.max_repairs,
            best: None,
        }
    }

    /// What the trace keeps of where it stands.
    fn summary(&self) -> Value {
        json!({
            "attempt": self.tried.len() + 1,
            "strategy": self.conversation.strategy().map(Strategy::as_str),
        })
    }

    /// Tries what the model replied; when that fails or is certainly wrong, and may be repaired,
    /// tells the model why.
    fn take(
        &mut self,
        cx: &Run<'_>,
        context: &Context,
        generated: Generated,
        trial: &Attempt<'_, T>,
    ) -> Result<Step<T>, Error> {
        let may_repair = self.repairs_left > 0 && self.conversation.can_repair();
        self.repairs_left = self.repairs_left.saturating_sub(1);
        let mut proposal = match generated {
            Generated::Proposal(Proposal::Sql(proposal)) => proposal,
            Generated::Proposal(proposal) => return Ok(self.or_best(Step::Declined(proposal))),
            Generated::NoSql(_) if may_repair => {
                let objection = render_repair("there is no SQL in the reply", &[]);
                self.conversation.object(objection);
                return Ok(Step::Again);
            }
            Generated::NoSql(error) => match self.best.take() {
                Some((proposal, result, _)) => return Ok(Step::Passed(proposal, result)),
                None => return Err(error),
            },
        };
        // A model that repeats itself will do so again.
        let repeats = self.tried.iter().any(|sql| same_sql(sql, &proposal.sql));
        let may_repair = may_repair && !repeats;
        let outcome = cx.stage("execute", || (trial.attempt)(&proposal.sql))?;
        cx.note(json!({"sql": proposal.sql}), outcome.summary());
        let finding = match outcome {
            Outcome::Passed(result) => {
                let findings = judged(cx, context, trial, &proposal.sql)?;
                proposal.notes.extend(warnings(&findings));
                let certain: Vec<&findings::Finding> = findings
                    .iter()
                    .filter(|finding| finding.is_certain())
                    .collect();
                let objection = certain
                    .first()
                    .filter(|_| may_repair && cx.config.repair >= RepairTrigger::Findings)
                    .map(|worst| feedback(worst, cx.egress(), &context.tables));
                let sql = proposal.sql.clone();
                self.keep(proposal, result, certain.len());
                if let Some(objection) = objection {
                    self.conversation.object(render_repair(&objection, &[]));
                    self.tried.push(sql);
                    return Ok(Step::Again);
                }
                return Ok(self.or_best(Step::Again));
            }
            Outcome::Rejected(rejection) => judge_rejection(rejection),
            Outcome::Failed(error) => judge_error(error, cx.egress(), &context.tables),
        };
        if !may_repair {
            let refusal = refuse(finding, Some(proposal.sql));
            return Ok(self.or_best(Step::Ended(Box::new(refusal))));
        }
        self.conversation
            .object(render_repair(&finding.problem, &finding.names));
        self.tried.push(proposal.sql);
        Ok(Step::Again)
    }

    /// Keeps an attempt that ran unless an earlier one has fewer certain findings.
    fn keep(&mut self, proposal: SqlProposal, result: T, findings: usize) {
        if self
            .best
            .as_ref()
            .is_none_or(|(_, _, fewest)| findings <= *fewest)
        {
            self.best = Some((proposal, result, findings));
        }
    }

    /// The best attempt that ran, else the step.
    fn or_best(&mut self, step: Step<T>) -> Step<T> {
        match self.best.take() {
            Some((proposal, result, _)) => Step::Passed(proposal, result),
            None => step,
        }
    }
}

/// What may be wrong with a query that ran.
fn judged<T>(
    cx: &Run<'_>,
    context: &Context,
    trial: &Attempt<'_, T>,
    sql: &str,
) -> Result<Vec<findings::Finding>, Error> {
    if !trial.is_judged {
        return Ok(Vec::new());
    }
    let findings = cx.stage("judge", || {
        judge_result(sql, &context.tables, cx.database, &cx.config.limits)
    })?;
    let found: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "check": finding.check.as_str(),
                "severity": finding.severity.as_str(),
                "basis": finding.basis.as_str(),
            })
        })
        .collect();
    cx.note(json!({"sql": sql}), json!({"findings": found}));
    Ok(findings)
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
            input: Value::Null,
            output: Value::Null,
        });
        result
    }

    /// Notes what went into the last stage and what came out of it; never a row value.
    fn note(&self, input: Value, output: Value) {
        if let Some(last) = self.trace.borrow_mut().stages.last_mut() {
            (last.input, last.output) = (input, output);
        }
    }

    fn prompt(&self, question: &Question, context: &Context) -> Prompt {
        let (version, today) = (self.session.server_version(), self.session.today());
        render(question, context, self.config, &version, &today)
    }

    /// The sentence of an answer with rows: the proposal's own, else one that a model may write
    /// about the rows, else a plain one.
    fn sentence(
        &self,
        question: &Question,
        proposal: &SqlProposal,
        execution: &Execution,
    ) -> Result<Option<String>, Error> {
        if !self.config.narrate {
            return Ok(None);
        }
        let filled = self.stage("answer", || filled_sentence(question, proposal, execution));
        self.note(
            json!({"rows": execution.rows.len(), "truncated": execution.is_truncated}),
            json!({"sentence": proposal.sentence, "usable": filled.is_some()}),
        );
        if let Some(sentence) = filled {
            return Ok(Some(sentence));
        }
        if let Some(endpoint) = narrator(self, execution) {
            let told = self.stage("narrate", || narrate(self, endpoint, question, execution))?;
            self.note(
                json!({"rows": execution.rows.len()}),
                json!({"supported": told.is_some()}),
            );
            if let Some(sentence) = told {
                return Ok(Some(sentence));
            }
        }
        Ok(Some(plain_sentence(execution)))
    }

    /// What may leave the server for the model of this run.
    pub fn egress(&self) -> Egress {
        match &self.config.model {
            ModelConfig::Endpoint(endpoint) => endpoint.egress,
            ModelConfig::Builtin | ModelConfig::Replay(_) => Egress::Rows,
        }
    }
}
