//! How a statement is tried, and how a question ends.

use super::multi_step_progress::StepRows;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::{Config, ModelConfig};
use text2sql_domain::error::Error;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Runs or checks a statement.
type Try<'a, T> = dyn Fn(&str) -> Result<Outcome<T>, Error> + 'a;

/// How a statement is tried.
pub(super) struct Attempt<'a, T> {
    /// Executes the statement, or only checks it.
    pub(super) attempt: &'a Try<'a, T>,
    /// Whether the returned rows are judged.
    judges_rows: bool,
    /// Number of candidates whose results are compared.
    pub(super) candidates: usize,
    /// Whether the model may reply with the questions that this one consists of.
    pub(super) takes_parts: bool,
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
            takes_parts: false,
        }
    }

    /// The same for a caller that has room for several results.
    pub(super) fn of_results(config: &Config, attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            takes_parts: true,
            ..Self::of_rows(config, attempt)
        }
    }

    /// Executes a single statement and always judges its rows.
    pub(super) fn of_one(attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            judges_rows: true,
            candidates: 1,
            takes_parts: false,
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
            takes_parts: false,
        }
    }
}

impl<T: StepRows> Attempt<'_, T> {
    /// The rows of the result, if rows are to be judged.
    pub(super) fn rows<'t>(&self, result: &'t T) -> Option<&'t Execution> {
        result.rows().filter(|_| self.judges_rows)
    }
}

/// SQL that passed with its result, or what there is instead.
pub(super) type Passed<T> = Result<(SqlProposal, T), Unsolved>;

/// What there is instead of SQL that passed.
pub(super) enum Unsolved {
    /// The answer that explains why there is none.
    Answered(Box<Answer>),
    /// The questions that the question consists of.
    Several(Vec<String>),
}

/// How a question ends.
pub(super) enum End<T> {
    /// With SQL that passed.
    Solved(Box<Solved<T>>),
    /// With an answer without rows.
    Answered(Box<Answer>),
    /// With the questions that it consists of, complete ones.
    Several(Vec<String>),
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
    pub(super) fn unsolved(unsolved: Unsolved, context: Context) -> Self {
        match unsolved {
            Unsolved::Answered(mut answer) => {
                answer.warnings.extend(context.notes);
                Self::Answered(answer)
            }
            Unsolved::Several(parts) => Self::Several(parts),
        }
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
