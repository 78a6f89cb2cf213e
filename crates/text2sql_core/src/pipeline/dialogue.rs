//! One conversation with the model about a question: what it replied is tried, judged and, within
//! bounds, sent back. The best attempt is kept, not the last.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Run;
use crate::answer::{Answer, refuse};
use crate::error::Error;
use crate::findings::Finding;
use crate::generate::{Conversation, Generated};
use crate::judge::{self, judge_error, judge_rejection, judge_result, warnings};
use crate::ports::Outcome;
use crate::proposal::{Proposal, SqlProposal};
use crate::question::Question;
use crate::repair::{Objection, object_to_failure, object_to_result};
use crate::retrieve::Context;
use crate::schema::Table;
use crate::score::relevance::judge_relevance;
use crate::score::{self, Ending, Facts, Score};
use crate::sql_result::Execution;
use crate::strategy::Strategy;

/// How a statement is tried.
pub(super) struct Attempt<'a, T> {
    /// Runs it, or only checks it.
    pub(super) attempt: &'a dyn Fn(&str) -> Result<Outcome<T>, Error>,
    /// The rows of what it gave, where they are to be judged.
    pub(super) rows: fn(&T) -> Option<&Execution>,
}

/// What a question is solved from.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub(super) question: &'a Question,
    pub(super) context: &'a Context,
}

/// What a reply came to.
pub(super) enum Step<T> {
    Passed(SqlProposal, T),
    Declined(Proposal),
    Ended(Box<Answer>),
    /// The model has been told what is wrong.
    Again,
}

/// A conversation with the model, what it has tried, and how often it may try again.
pub(super) struct Dialogue<T> {
    pub(super) conversation: Conversation,
    tried: Vec<String>,
    repairs_left: u32,
    /// What was retrieved, and what a repair has added to it.
    tables: Vec<Arc<Table>>,
    best: Option<Kept<T>>,
    /// Why the last attempt that did not run did not.
    refused: Option<judge::Finding>,
}

/// An attempt that ran.
struct Kept<T> {
    proposal: SqlProposal,
    result: T,
    /// How many findings of it are certain.
    certain: usize,
    score: f64,
}

/// What judging a query that ran came to.
#[derive(Default)]
struct Judged {
    findings: Vec<Finding>,
    score: Option<Score>,
    is_empty: bool,
}

impl<T> Dialogue<T> {
    pub(super) fn new(cx: &Run<'_>, conversation: Conversation, context: &Context) -> Self {
        Self {
            conversation,
            tried: Vec::new(),
            repairs_left: cx.config.max_repairs,
            tables: context.tables.clone(),
            best: None,
            refused: None,
        }
    }

    /// What the trace keeps of where it stands.
    pub(super) fn summary(&self) -> Value {
        json!({
            "attempt": self.tried.len() + 1,
            "strategy": self.conversation.strategy().map(Strategy::as_str),
        })
    }

    /// Tries what the model replied; when that fails or may not stay, and may be repaired, tells the
    /// model why.
    pub(super) fn take(
        &mut self,
        cx: &Run<'_>,
        task: Task<'_>,
        generated: Generated,
        trial: &Attempt<'_, T>,
    ) -> Result<Step<T>, Error> {
        let may_repair = self.repairs_left > 0 && self.conversation.can_repair();
        self.repairs_left = self.repairs_left.saturating_sub(1);
        let mut proposal = match generated {
            Generated::Proposal(Proposal::Sql(proposal)) => proposal,
            Generated::Proposal(proposal) => return Ok(self.or_best(Step::Declined(proposal))),
            Generated::NoSql(_) if may_repair => {
                self.object(cx, &Objection::to_prose());
                return Ok(Step::Again);
            }
            Generated::NoSql(error) => match self.best.take() {
                Some(best) => return Ok(Step::Passed(best.proposal, best.result)),
                None => return Err(error),
            },
        };
        // A model that repeats itself will do so again, and so will the database.
        if self.tried.iter().any(|sql| same_sql(sql, &proposal.sql)) {
            return Ok(self.give_up(proposal.sql));
        }
        let outcome = cx.stage("execute", || (trial.attempt)(&proposal.sql))?;
        cx.note(json!({"sql": proposal.sql}), outcome.summary());
        self.tried.push(proposal.sql.clone());
        let finding = match outcome {
            Outcome::Passed(result) => {
                let judged = self.judge(cx, task, trial, &proposal.sql, &result)?;
                proposal.notes.extend(warnings(&judged.findings));
                let objection = object_to_result(
                    cx,
                    &self.tables,
                    &judged.findings,
                    judged.score.as_ref(),
                    judged.is_empty,
                );
                self.keep(proposal, result, judged);
                return Ok(match objection.filter(|_| may_repair) {
                    Some(objection) => {
                        self.object(cx, &objection);
                        Step::Again
                    }
                    None => self.or_best(Step::Again),
                });
            }
            Outcome::Rejected(rejection) => judge_rejection(rejection),
            Outcome::Failed(error) => judge_error(error, cx.egress(), &self.tables),
        };
        if !may_repair {
            self.refused = Some(finding);
            return Ok(self.give_up(proposal.sql));
        }
        let Task { question, context } = task;
        let objection = object_to_failure(cx, question, context, &self.tables, &finding)?;
        self.refused = Some(finding);
        self.object(cx, &objection);
        Ok(Step::Again)
    }

    /// Tells the model what is wrong, and notes it.
    fn object(&mut self, cx: &Run<'_>, objection: &Objection) {
        let text = cx.stage("repair", || objection.text(cx));
        cx.note(json!({"attempt": self.tried.len()}), objection.summary());
        self.conversation.object(text, &objection.tables);
        self.tables.extend(objection.tables.iter().cloned());
    }

    /// What may be wrong with a query that ran, and how good it is.
    fn judge(
        &self,
        cx: &Run<'_>,
        task: Task<'_>,
        trial: &Attempt<'_, T>,
        sql: &str,
        result: &T,
    ) -> Result<Judged, Error> {
        let Some(execution) = (trial.rows)(result).filter(|_| cx.config.stages.judge) else {
            return Ok(Judged::default());
        };
        let (findings, score) = cx.stage("judge", || {
            let findings =
                judge_result(sql, &self.tables, cx.index, cx.database, &cx.config.limits)?;
            let facts = Facts {
                question: task.question.as_str(),
                sql,
                ending: Ending::Ran(execution),
                findings: &findings,
                tables: &self.tables,
                values: &task.context.values,
                definitions: &task.context.definitions,
                max_cost: cx.config.limits.max_cost,
            };
            let mut score = score::score(&facts, &cx.config.score);
            if cx.config.score.asks_relevance {
                score.relevance = judge_relevance(cx, task.question, sql, execution)?;
            }
            Ok::<_, Error>((findings, score))
        })?;
        let found: Vec<Value> = findings.iter().map(told).collect();
        cx.note(
            json!({"sql": sql}),
            json!({"findings": found, "score": score.summary()}),
        );
        Ok(Judged {
            findings,
            score: Some(score),
            is_empty: execution.rows.is_empty(),
        })
    }

    /// Keeps an attempt that ran unless an earlier one is better: fewer certain findings, then the
    /// higher score.
    fn keep(&mut self, mut proposal: SqlProposal, result: T, judged: Judged) {
        let certain = judged.findings.iter().filter(|f| f.is_certain()).count();
        let score = judged.score.as_ref().map_or(0.0, Score::total);
        let is_better = self.best.as_ref().is_none_or(|best| {
            certain < best.certain || (certain == best.certain && score >= best.score)
        });
        if is_better {
            proposal.score = judged.score.map(Box::new);
            self.best = Some(Kept {
                proposal,
                result,
                certain,
                score,
            });
        }
    }

    /// The best attempt that ran, else why the last one did not.
    fn give_up(&mut self, sql: String) -> Step<T> {
        let refused = self.refused.take();
        let ended = match refused {
            Some(finding) => refuse(finding, Some(sql)),
            None => Answer::without_rows(crate::answer::Status::Failed, "the query was not run"),
        };
        self.or_best(Step::Ended(Box::new(ended)))
    }

    /// The best attempt that ran, else the step.
    fn or_best(&mut self, step: Step<T>) -> Step<T> {
        match self.best.take() {
            Some(best) => Step::Passed(best.proposal, best.result),
            None => step,
        }
    }
}

/// What the trace keeps of a finding.
fn told(finding: &Finding) -> Value {
    json!({
        "check": finding.check.as_str(),
        "severity": finding.severity.as_str(),
        "basis": finding.basis.as_str(),
    })
}

fn same_sql(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
