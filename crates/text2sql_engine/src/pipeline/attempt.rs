//! How a statement is tried, and how a question ends.

use std::rc::Rc;

use super::in_order::Given;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Config;
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
    /// Number of candidates whose results are compared.
    pub(super) candidates: usize,
    /// Whether the statement should answer the question, and not change another statement as it says.
    pub(super) answers_question: bool,
}

impl<'a> Attempt<'a, Execution> {
    /// Executes a statement for the rows of an answer.
    pub(super) fn of_rows(config: &Config, attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            candidates: config.candidates,
            answers_question: true,
        }
    }

    /// Executes a single statement that changes another one.
    pub(super) fn of_one(attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            candidates: 1,
            answers_question: false,
        }
    }
}

impl<'a> Attempt<'a, Vec<ResultColumn>> {
    /// Checks a statement and returns its result columns.
    pub(super) fn of_columns(attempt: &'a Try<'a, Vec<ResultColumn>>) -> Self {
        Self {
            attempt,
            candidates: 1,
            answers_question: true,
        }
    }
}

/// SQL that passed with its result, or the answer that explains why there is none.
pub(super) type Passed<T> = Result<(SqlProposal, T), Box<Answer>>;

/// How a question ends.
pub(super) enum End<T> {
    /// With SQL that passed.
    Solved(Box<Solved<T>>),
    /// With an answer without rows.
    Answered(Box<Answer>, Basis),
}

/// What an answer without rows rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// The words of the question and the names and values of the database, without an engine.
    Names,
    /// An engine that is sure of it.
    SureEngine,
    /// An engine that another one may improve on.
    UnsureEngine,
}

impl<T> End<T> {
    /// With SQL that passed and its result.
    pub(super) fn solved(
        understanding: Rc<Understanding>,
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
    pub(super) fn declined(mut answer: Box<Answer>, basis: Basis, context: Context) -> Self {
        answer.warnings.extend(context.notes);
        Self::Answered(answer, basis)
    }
}

impl<T> Given for End<T> {
    fn unsure(&self) -> Option<&Answer> {
        match self {
            Self::Answered(answer, Basis::UnsureEngine) => Some(answer),
            Self::Answered(_, Basis::Names | Basis::SureEngine) | Self::Solved(_) => None,
        }
    }

    fn is_of_engine(&self) -> bool {
        !matches!(self, Self::Answered(_, Basis::Names))
    }
}

/// A question with the SQL that answers it.
pub(super) struct Solved<T> {
    pub(super) understanding: Rc<Understanding>,
    pub(super) context: Context,
    pub(super) proposal: SqlProposal,
    /// The result of the SQL.
    pub(super) result: T,
}
