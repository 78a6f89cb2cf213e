//! A multi-step plan in progress: the current step, the results of the steps before it, and the statement
//! to run for the current step.
//!
//! Each step is tried and judged like any statement, with the queries of the earlier steps as common
//! table expressions. Results go to the model only if a later step still has to be written: always the
//! column names and types, rows only if the endpoint may see them.

use crate::multi_step::{PlanProposal, PlannedStep, composed};
use crate::statement::Tried;
use text2sql_domain::config::Egress;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::proposal::SqlProposal;
use text2sql_models::prompt::{StepResult, render_next_step};

/// A plan in progress. Without steps, one statement answers the question.
pub(crate) struct Steps {
    planned: Vec<PlannedStep>,
    /// The query of each finished step, without the common table expressions, and its result.
    done: Vec<(String, Tried)>,
    sentence: Option<String>,
    notes: Vec<String>,
    /// The plan in words.
    in_words: Option<String>,
}

impl Steps {
    /// No plan.
    pub(crate) fn none() -> Self {
        Self {
            planned: Vec::new(),
            done: Vec::new(),
            sentence: None,
            notes: Vec::new(),
            in_words: None,
        }
    }

    /// Starts a plan at its first step. Unless the model wrote it in words, too, these are what its steps find out.
    pub(crate) fn of(plan: PlanProposal, in_words: Option<String>) -> Self {
        let questions = || {
            let numbered = (1..).zip(&plan.steps);
            let lines = numbered.map(|(number, step)| format!("{number}. {}", step.question));
            lines.collect::<Vec<_>>().join("\n")
        };
        Self {
            in_words: in_words.or_else(|| Some(questions())),
            planned: plan.steps,
            done: Vec::new(),
            sentence: plan.sentence,
            notes: plan.notes,
        }
    }

    /// Whether there is a plan with several steps.
    pub(crate) fn is_plan(&self) -> bool {
        !self.planned.is_empty()
    }

    /// Whether the current statement is the one that gives the answer.
    pub(crate) fn is_last_due(&self) -> bool {
        self.done.len() + 1 >= self.planned.len()
    }

    /// The query of the current step, if the plan already contains it.
    pub(crate) fn due(&self) -> Option<SqlProposal> {
        let step = self.planned.get(self.done.len())?;
        Some(SqlProposal {
            sql: step.sql.clone()?,
            ..SqlProposal::default()
        })
    }

    /// The full statement of the current step. The last step also gets the notes of the earlier ones.
    pub(crate) fn compose(&self, mut proposal: SqlProposal) -> SqlProposal {
        let earlier: Vec<&String> = self.done.iter().map(|(sql, _)| sql).collect();
        proposal.sql = composed(&earlier, &proposal.sql);
        if self.is_last_due() {
            proposal.notes.extend(self.notes.iter().cloned());
            proposal.sentence = proposal.sentence.or_else(|| self.sentence.clone());
            if self.is_plan() {
                proposal.plan = self.in_words.clone();
            }
        }
        proposal
    }

    /// The prefix of a problem message that names the step.
    pub(crate) fn prefix(&self) -> String {
        match self.planned.len() {
            0 => String::new(),
            all => format!("step {} of {all}: ", self.done.len() + 1),
        }
    }

    /// Finishes the current step. `sql` is its query without the common table expressions; `notes` are
    /// for the user.
    pub(crate) fn finish(&mut self, sql: String, result: Tried, notes: Vec<String>) {
        if let Some(step) = self.planned.get(self.done.len()) {
            let rows = match result.rows() {
                Some(execution) if execution.rows.len() == 1 => ", 1 row".to_owned(),
                Some(execution) => format!(", {} rows", execution.rows.len()),
                None => String::new(),
            };
            let number = self.done.len() + 1;
            self.notes
                .push(format!("step_{number}: {}{rows}", step.question));
        }
        self.notes.extend(notes);
        self.done.push((sql, result));
    }

    /// The prompt turn that asks for the query of the current step, and the number of rows in it.
    pub(crate) fn request(&self, cx: &Run<'_>) -> (String, usize) {
        let egress = cx.egress();
        let earlier: Vec<StepResult<'_>> = self
            .planned
            .iter()
            .zip(&self.done)
            .map(|(step, (_, result))| StepResult {
                question: &step.question,
                columns: result.columns(),
                rows: result
                    .rows()
                    .filter(|execution| egress == Egress::Rows && !execution.is_private),
            })
            .collect();
        let question = self
            .planned
            .get(self.done.len())
            .map_or("", |step| step.question.as_str());
        let own = &cx.config.owner.prompts;
        render_next_step(own, self.done.len() + 1, question, &earlier)
    }
}
