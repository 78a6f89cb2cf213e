//! How a statement is tried, and how a question ends.

use std::cell::Cell;
use std::sync::Arc;

use super::hold::Tried;
use super::multi_step_progress::StepRows;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::{Config, ModelConfig};
use text2sql_domain::error::Error;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Runs or checks a statement.
type Try<'a, T> = dyn Fn(&Statement<'_>) -> Result<Outcome<T>, Error> + 'a;

/// A statement to try, and what it was written from.
#[derive(Clone, Copy)]
pub(super) struct Statement<'a> {
    pub(super) proposal: &'a SqlProposal,
    pub(super) understanding: &'a Understanding,
    pub(super) context: &'a Context,
    /// The tables that are described for it.
    pub(super) tables: &'a [Arc<Table>],
    /// Whether the pipeline chose among several readings of the question.
    pub(super) is_of_chosen_reading: bool,
}

impl Statement<'_> {
    /// The query.
    pub(super) fn sql(&self) -> &str {
        &self.proposal.sql
    }
}

/// How a statement is tried.
pub(super) struct Attempt<'a, T> {
    /// Executes the statement, or only checks it.
    attempt: &'a Try<'a, T>,
    /// Whether the returned rows are judged.
    judges_rows: bool,
    /// Number of candidates whose results are compared.
    pub(super) candidates: usize,
    /// Whether a reading of the question was chosen.
    pub(super) has_chosen_reading: Cell<bool>,
}

impl<'a> Attempt<'a, Execution> {
    /// Executes a statement for the rows of an answer.
    pub(super) fn of_rows(config: &Config, attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            // The built-in engine answers only when it is certain, and its accuracy is measured
            // separately.
            judges_rows: !matches!(config.model, ModelConfig::Builtin),
            candidates: config.candidates,
            has_chosen_reading: Cell::new(false),
        }
    }

    /// Executes a single statement and always judges its rows.
    pub(super) fn of_one(attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            judges_rows: true,
            candidates: 1,
            has_chosen_reading: Cell::new(false),
        }
    }
}

impl<'a> Attempt<'a, Tried> {
    /// Executes a statement, or only checks it where it waits for approval. One candidate is written: those that
    /// wait have no rows that could be compared.
    pub(super) fn of_held(config: &Config, attempt: &'a Try<'a, Tried>) -> Self {
        Self {
            attempt,
            judges_rows: !matches!(config.model, ModelConfig::Builtin),
            candidates: 1,
            has_chosen_reading: Cell::new(false),
        }
    }
}

impl<'a> Attempt<'a, Vec<ResultColumn>> {
    /// Checks a statement and returns its result columns.
    pub(super) fn of_columns(attempt: &'a Try<'a, Vec<ResultColumn>>) -> Self {
        Self {
            attempt,
            judges_rows: false,
            candidates: 1,
            has_chosen_reading: Cell::new(false),
        }
    }
}

impl<T> Attempt<'_, T> {
    /// Tries a statement.
    pub(super) fn of(&self, statement: Statement<'_>) -> Result<Outcome<T>, Error> {
        (self.attempt)(&Statement {
            is_of_chosen_reading: self.has_chosen_reading.get(),
            ..statement
        })
    }
}

impl<T: StepRows> Attempt<'_, T> {
    /// The rows of the result, if rows are to be judged.
    pub(super) fn rows<'t>(&self, result: &'t T) -> Option<&'t Execution> {
        result.rows().filter(|_| self.judges_rows)
    }
}

/// SQL that passed with its result, or the answer that explains why there is none.
pub(super) type Passed<T> = Result<(SqlProposal, T), Box<Answer>>;

/// How a question ends.
pub(super) enum End<T> {
    /// With SQL that passed.
    Solved(Box<Solved<T>>),
    /// With an answer without rows.
    Answered(Box<Answer>),
}

impl<T> End<T> {
    /// With SQL that passed and its result.
    pub(super) fn solved(
        understanding: Understanding,
        context: Context,
        (proposal, result): (SqlProposal, T),
    ) -> Self {
        Self::Solved(Box::new(Solved {
            understanding,
            context,
            proposal,
            result,
        }))
    }

    /// Without SQL that passed. The notes of the search become warnings.
    pub(super) fn declined(mut answer: Box<Answer>, context: Context) -> Self {
        answer.warnings.extend(context.notes);
        Self::Answered(answer)
    }
}

/// A question with the SQL that answers it.
pub(super) struct Solved<T> {
    pub(super) understanding: Understanding,
    pub(super) context: Context,
    pub(super) proposal: SqlProposal,
    /// The result of the SQL.
    pub(super) result: T,
}
