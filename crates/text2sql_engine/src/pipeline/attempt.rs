//! How a statement is tried, and how a question ends.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::in_order::Given;
use super::tried::Tried;
use text2sql_domain::answer::Answer;
use text2sql_domain::config::Config;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports::Outcome;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::schema::Table;
use text2sql_domain::sql_result::{Execution, ResultColumn};
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// Runs or checks a statement.
type Try<'a, T> = dyn Fn(&Run<'_>, &Statement<'_>) -> Result<Outcome<T>, Error> + 'a;

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
    /// Number of candidates whose results are compared.
    pub(super) candidates: usize,
    /// Whether the model may reply with the questions that this one consists of.
    pub(super) takes_parts: bool,
    /// Whether a reading of the question was chosen.
    pub(super) has_chosen_reading: Cell<bool>,
    /// Whether the statement should answer the question, and not change another statement as it says.
    pub(super) answers_question: bool,
}

impl<'a> Attempt<'a, Execution> {
    /// Executes a statement for the rows of an answer.
    pub(super) fn of_rows(config: &Config, attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            candidates: config.candidates,
            takes_parts: false,
            answers_question: true,
            has_chosen_reading: Cell::new(false),
        }
    }

    /// The same for a caller that has room for several results.
    pub(super) fn of_results(config: &Config, attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            takes_parts: true,
            ..Self::of_rows(config, attempt)
        }
    }

    /// Executes a single statement that changes another one.
    pub(super) fn of_one(attempt: &'a Try<'a, Execution>) -> Self {
        Self {
            attempt,
            candidates: 1,
            takes_parts: false,
            answers_question: false,
            has_chosen_reading: Cell::new(false),
        }
    }
}

impl<'a> Attempt<'a, Tried> {
    /// Executes a statement, or only checks it where it waits for approval. One candidate is written: those that
    /// wait have no rows that could be compared.
    pub(super) fn of_held(attempt: &'a Try<'a, Tried>) -> Self {
        Self {
            attempt,
            candidates: 1,
            takes_parts: false,
            answers_question: true,
            has_chosen_reading: Cell::new(false),
        }
    }
}

impl<'a> Attempt<'a, Vec<ResultColumn>> {
    /// Checks a statement and returns its result columns.
    pub(super) fn of_columns(attempt: &'a Try<'a, Vec<ResultColumn>>) -> Self {
        Self {
            attempt,
            candidates: 1,
            takes_parts: false,
            answers_question: true,
            has_chosen_reading: Cell::new(false),
        }
    }
}

impl<T> Attempt<'_, T> {
    /// Tries a statement of the engine of this run.
    pub(super) fn of(&self, cx: &Run<'_>, statement: Statement<'_>) -> Result<Outcome<T>, Error> {
        let statement = Statement {
            is_of_chosen_reading: self.has_chosen_reading.get(),
            ..statement
        };
        (self.attempt)(cx, &statement)
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
    Answered(Box<Answer>, Basis),
    /// With the questions that it consists of, complete ones.
    Several(Vec<String>),
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

    /// An attempt that ended without SQL that passed. The notes of the search become warnings.
    pub(super) fn declined(mut answer: Box<Answer>, basis: Basis, context: Context) -> Self {
        answer.warnings.extend(context.notes);
        Self::Answered(answer, basis)
    }
}

impl<T> Given for End<T> {
    fn unsure(&self) -> Option<&Answer> {
        match self {
            Self::Answered(answer, Basis::UnsureEngine) => Some(answer),
            Self::Answered(_, Basis::Names | Basis::SureEngine)
            | Self::Several(_)
            | Self::Solved(_) => None,
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
