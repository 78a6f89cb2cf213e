//! One conversation with the model about a question: what it replied is tried, judged and, within
//! bounds, sent back. The best attempt is kept, not the last.

use serde_json::{Value, json};

use super::Run;
use crate::answer::{Answer, refuse};
use crate::error::Error;
use crate::findings::Finding;
use crate::generate::{Conversation, Generated};
use crate::judge::{RepairTrigger, feedback, judge_error, judge_rejection, judge_result, warnings};
use crate::ports::Outcome;
use crate::prompt::render_repair;
use crate::proposal::{Proposal, SqlProposal};
use crate::retrieve::Context;
use crate::strategy::Strategy;

/// How a statement is tried.
pub(super) struct Attempt<'a, T> {
    /// Runs it, or only checks it.
    pub(super) attempt: &'a dyn Fn(&str) -> Result<Outcome<T>, Error>,
    /// Whether what it gives is judged.
    pub(super) is_judged: bool,
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
    /// The attempt with the fewest certain findings so far, and how many.
    best: Option<(SqlProposal, T, usize)>,
}

impl<T> Dialogue<T> {
    pub(super) fn new(cx: &Run<'_>, conversation: Conversation) -> Self {
        Self {
            conversation,
            tried: Vec::new(),
            repairs_left: cx.config.max_repairs,
            best: None,
        }
    }

    /// What the trace keeps of where it stands.
    pub(super) fn summary(&self) -> Value {
        json!({
            "attempt": self.tried.len() + 1,
            "strategy": self.conversation.strategy().map(Strategy::as_str),
        })
    }

    /// Tries what the model replied; when that fails or is certainly wrong, and may be repaired,
    /// tells the model why.
    pub(super) fn take(
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
                let certain: Vec<&Finding> = findings
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
) -> Result<Vec<Finding>, Error> {
    if !trial.is_judged {
        return Ok(Vec::new());
    }
    let findings = cx.stage("judge", || {
        judge_result(
            sql,
            &context.tables,
            cx.index,
            cx.database,
            &cx.config.limits,
        )
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

fn same_sql(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
