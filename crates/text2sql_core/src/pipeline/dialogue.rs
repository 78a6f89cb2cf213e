//! One conversation with the model about a question: what it replied is tried, judged and, within
//! bounds, sent back. The best attempt is kept, not the last.

use serde_json::{Value, json};

use super::Run;
use super::steps::{StepRows, Steps};
use crate::answer::{Answer, Status, refuse};
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

/// What became of a statement.
enum Tried<T> {
    /// A step is done, and others follow.
    StepDone(T, Vec<String>),
    /// The reply has been dealt with.
    Ended(Step<T>),
}

/// A conversation with the model, what it has tried, and how often it may try again.
pub(super) struct Dialogue<T> {
    pub(super) conversation: Conversation,
    tried: Vec<String>,
    repairs_left: u32,
    steps: Steps<T>,
    /// The attempt with the fewest certain findings so far, and how many.
    best: Option<(SqlProposal, T, usize)>,
}

impl<T: StepRows> Dialogue<T> {
    pub(super) fn new(cx: &Run<'_>, conversation: Conversation) -> Self {
        Self {
            conversation,
            tried: Vec::new(),
            repairs_left: cx.config.max_repairs,
            steps: Steps::none(),
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
        let before = self.repairs_left;
        let may_repair = before > 0 && self.conversation.can_repair();
        self.repairs_left = before.saturating_sub(1);
        let mut proposal = match generated {
            Generated::Proposal(Proposal::Sql(proposal)) => proposal,
            Generated::Proposal(proposal) => return Ok(self.or_best(Step::Declined(proposal))),
            Generated::Plan(plan) => {
                let (asked, most) = (plan.steps.len(), cx.config.max_steps);
                let is_another = self.steps.is_plan();
                if asked > most || (is_another && !may_repair) {
                    return Ok(self.refuse_plan(asked, most, may_repair));
                }
                self.steps = Steps::of(plan);
                match self.steps.due() {
                    Some(first) => first,
                    // A plan in place of a plan is a repair: otherwise planning need not end.
                    None if is_another => return Ok(self.ask_for_step(cx, self.repairs_left)),
                    None => return Ok(self.ask_for_step(cx, before)),
                }
            }
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
        loop {
            let is_last = self.steps.is_last_due();
            let own_sql = proposal.sql.clone();
            let composed = self.steps.compose(proposal);
            match self.attempt(cx, context, composed, trial, may_repair, is_last)? {
                Tried::Ended(step) => return Ok(step),
                Tried::StepDone(result, notes) => self.steps.finish(own_sql, result, notes),
            }
            proposal = match self.steps.due() {
                Some(next) => next,
                None => return Ok(self.ask_for_step(cx, before)),
            };
        }
    }

    /// Tries a statement. One that is no last step gives its rows to those that follow.
    fn attempt(
        &mut self,
        cx: &Run<'_>,
        context: &Context,
        mut proposal: SqlProposal,
        trial: &Attempt<'_, T>,
        may_repair: bool,
        is_last: bool,
    ) -> Result<Tried<T>, Error> {
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
                if let Some(objection) = &objection {
                    let objection = format!("{}{objection}", self.steps.prefix());
                    self.conversation.object(render_repair(&objection, &[]));
                    self.tried.push(sql);
                }
                let count = certain.len();
                return Ok(match (is_last, objection) {
                    (true, objection) => {
                        self.keep(proposal, result, count);
                        match objection {
                            Some(_) => Tried::Ended(Step::Again),
                            None => Tried::Ended(self.or_best(Step::Again)),
                        }
                    }
                    (false, Some(_)) => Tried::Ended(Step::Again),
                    (false, None) => Tried::StepDone(result, warnings(&findings)),
                });
            }
            Outcome::Rejected(rejection) => judge_rejection(rejection),
            Outcome::Failed(error) => judge_error(error, cx.egress(), &context.tables),
        };
        if !may_repair {
            let refusal = refuse(finding, Some(proposal.sql));
            return Ok(Tried::Ended(self.or_best(Step::Ended(Box::new(refusal)))));
        }
        let problem = format!("{}{}", self.steps.prefix(), finding.problem);
        self.conversation
            .object(render_repair(&problem, &finding.names));
        self.tried.push(proposal.sql);
        Ok(Tried::Ended(Step::Again))
    }

    /// Asks for the query of the step that is due; as many repairs are left then.
    fn ask_for_step(&mut self, cx: &Run<'_>, repairs_left: u32) -> Step<T> {
        let (text, rows) = self.steps.request(cx.egress());
        self.conversation.ask_on(text, rows);
        self.repairs_left = repairs_left;
        Step::Again
    }

    /// What becomes of a plan that is too long, or one too many.
    fn refuse_plan(&mut self, asked: usize, most: usize, may_repair: bool) -> Step<T> {
        if asked <= most {
            let sentence = "the model wrote one plan after another, and no query";
            let answer = Answer::without_rows(Status::Failed, sentence);
            return self.or_best(Step::Ended(Box::new(answer)));
        }
        let problem = format!("it has {asked} steps, and {most} are allowed");
        if may_repair {
            self.conversation.object(render_repair(&problem, &[]));
            return Step::Again;
        }
        let mut answer = Answer::without_rows(
            Status::Failed,
            format!("the model wrote a plan of {asked} steps, and {most} are allowed"),
        );
        answer.hint = Some("SET text2sql.max_steps = 6, or ask for less at a time".to_owned());
        self.or_best(Step::Ended(Box::new(answer)))
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

fn same_sql(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}
