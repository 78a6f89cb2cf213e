//! A plan under way: which step is due, what the steps before it gave, and what the statement of a step is.
//!
//! Each step is tried and judged like any statement, with the queries of the steps before it as common
//! table expressions. What it gave goes to the model only when a later step is still to be written: names
//! and types of columns always, rows where the endpoint may see them.

use crate::multi_step::{PlanProposal, PlannedStep, composed};
use text2sql_domain::config::Egress;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_models::prompt::{StepResult, render_next_step};

/// What a statement gave, as far as a later step may need it.
pub(super) trait StepRows {
    /// Its columns.
    fn columns(&self) -> &[ResultColumn];

    /// Its rows, if it ran.
    fn rows(&self) -> Option<&Execution>;
}

impl StepRows for Execution {
    fn columns(&self) -> &[ResultColumn] {
        &self.columns
    }

    fn rows(&self) -> Option<&Execution> {
        Some(self)
    }
}

impl StepRows for Vec<ResultColumn> {
    fn columns(&self) -> &[ResultColumn] {
        self
    }

    fn rows(&self) -> Option<&Execution> {
        None
    }
}

/// A plan under way; without steps, one statement says it all.
pub(super) struct Steps<T> {
    planned: Vec<PlannedStep>,
    /// The query of each step that is done, by itself, and what it gave.
    done: Vec<(String, T)>,
    sentence: Option<String>,
    notes: Vec<String>,
}

impl<T> Steps<T> {
    /// No plan.
    pub(super) fn none() -> Self {
        Self {
            planned: Vec::new(),
            done: Vec::new(),
            sentence: None,
            notes: Vec::new(),
        }
    }

    /// The plan from its first step on.
    pub(super) fn of(plan: PlanProposal) -> Self {
        Self {
            planned: plan.steps,
            done: Vec::new(),
            sentence: plan.sentence,
            notes: plan.notes,
        }
    }

    /// Whether there are several.
    pub(super) fn is_plan(&self) -> bool {
        !self.planned.is_empty()
    }

    /// Whether the statement that is due gives the answer.
    pub(super) fn is_last_due(&self) -> bool {
        self.done.len() + 1 >= self.planned.len()
    }

    /// The query of the step that is due, where it is written already.
    pub(super) fn due(&self) -> Option<SqlProposal> {
        let step = self.planned.get(self.done.len())?;
        Some(SqlProposal {
            sql: step.sql.clone()?,
            ..SqlProposal::default()
        })
    }

    /// The whole statement of the step that is due, and what the reader should know of the steps before.
    pub(super) fn compose(&self, mut proposal: SqlProposal) -> SqlProposal {
        let earlier: Vec<&String> = self.done.iter().map(|(sql, _)| sql).collect();
        proposal.sql = composed(&earlier, &proposal.sql);
        if self.is_last_due() {
            proposal.notes.extend(self.notes.iter().cloned());
            proposal.sentence = proposal.sentence.or_else(|| self.sentence.clone());
        }
        proposal
    }

    /// Which step a problem is about, as the words in front of it.
    pub(super) fn prefix(&self) -> String {
        match self.planned.len() {
            0 => String::new(),
            all => format!("step {} of {all}: ", self.done.len() + 1),
        }
    }
}

impl<T: StepRows> Steps<T> {
    /// Keeps what the step that was due gave, and what the reader should know of it; `sql` is its query by
    /// itself.
    pub(super) fn finish(&mut self, sql: String, result: T, notes: Vec<String>) {
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

    /// The turn that asks for the query of the step that is due, and the number of rows in it.
    pub(super) fn request(&self, egress: Egress) -> (String, usize) {
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
        render_next_step(self.done.len() + 1, question, &earlier)
    }
}
