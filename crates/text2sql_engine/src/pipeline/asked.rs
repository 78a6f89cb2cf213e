//! A question as it is asked: what is decided about it before any engine, and how it ends.

use std::rc::Rc;

use super::in_order::Given;
use crate::conversation::Turn;
use crate::several_answers::one_at_a_time;
use crate::stages::hold::Gate;
use crate::statement::{Statement, Tried};
use text2sql_domain::answer::Answer;
use text2sql_domain::config::{Config, Limits, ModelConfig};
use text2sql_domain::dialect::Dialect;
use text2sql_domain::engines::Engines;
use text2sql_domain::error::Error;
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::ports;
use text2sql_domain::proposal::SqlProposal;
use text2sql_domain::question::Question;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::Context;

/// The answer for a failed endpoint.
pub(super) type Failed<'a> = dyn Fn(&Error) -> Answer + 'a;

/// A question, and what is decided about it before an engine is asked.
pub(super) struct Asked<'a> {
    pub(super) question: Question,
    /// The earlier turns of the conversation, oldest first.
    pub(super) turns: &'a [Turn],
    /// The engines in their order: the first that is sure answers.
    pub(super) engines: &'a dyn Engines,
    /// What happens if it consists of several questions.
    pub(super) parts: Parts<'a>,
    /// How its statements are tried.
    pub(super) trial: Trial,
    /// Number of candidates whose results are compared.
    pub(super) candidates: usize,
    /// Whether it is a reading that the pipeline chose among several.
    pub(super) is_chosen_reading: bool,
}

/// What happens to a question that consists of several.
#[derive(Clone, Copy)]
pub(super) enum Parts<'a> {
    /// Each gets a result. If the endpoint fails at one of them, that part has the answer for failures, and the others
    /// keep theirs.
    Answered(&'a Failed<'a>),
    /// There is room for one result: the answer names the parts.
    Named,
    /// It is taken as a whole.
    Whole,
}

/// How the statements of a question are tried.
#[derive(Clone)]
pub(super) enum Trial {
    /// They run, and the rows are the answer.
    Run,
    /// They run, unless they have to wait for approval.
    RunOrHold(Rc<Gate>),
    /// They are checked.
    Check,
    /// They change a query that the asker has. They run for one row, to know whether there are any; where queries may have
    /// to wait for approval, they are only checked.
    Change,
}

impl<'a> Asked<'a> {
    /// A question to be answered with rows. A role whose queries may have to wait is answered one question at a time, from
    /// one candidate: those that wait have no rows that could be compared.
    pub(super) fn for_rows(
        config: &Config,
        engines: &'a dyn Engines,
        question: &Question,
        turns: &'a [Turn],
        parts: Parts<'a>,
    ) -> Self {
        let parts = match config.meaning {
            Some(_) => Parts::Whole,
            None => parts,
        };
        let (trial, candidates, parts) = match (config.approval.applies(), parts) {
            (false, parts) => (Trial::Run, config.candidates, parts),
            (true, Parts::Whole) => (Trial::RunOrHold(Rc::default()), 1, Parts::Whole),
            (true, _) => (Trial::RunOrHold(Rc::default()), 1, Parts::Named),
        };
        Self {
            trial,
            candidates,
            ..Self::for_sql(engines, question, turns, parts)
        }
    }

    /// A question to be answered with SQL that is checked and not run.
    pub(super) fn for_sql(
        engines: &'a dyn Engines,
        question: &Question,
        turns: &'a [Turn],
        parts: Parts<'a>,
    ) -> Self {
        Self {
            question: question.clone(),
            turns,
            engines,
            parts,
            trial: Trial::Check,
            candidates: 1,
            is_chosen_reading: false,
        }
    }

    /// A request to change a query.
    pub(super) fn for_change(engines: &'a dyn Engines, question: &Question) -> Self {
        Self {
            trial: Trial::Change,
            ..Self::for_sql(engines, question, &[], Parts::Whole)
        }
    }

    /// The same for another question of the same asker.
    pub(super) fn about(&self, question: Question) -> Self {
        Self {
            question,
            trial: self.trial.clone(),
            ..*self
        }
    }

    /// A reading of the question, which the pipeline chose.
    pub(super) fn reading(&self, reading: Question) -> Self {
        Self {
            turns: &[],
            is_chosen_reading: true,
            ..self.about(reading)
        }
    }

    /// Why its query waits for approval.
    pub(super) fn waits_because(&self) -> Vec<String> {
        match &self.trial {
            Trial::RunOrHold(gate) => gate.reasons(),
            Trial::Run | Trial::Check | Trial::Change => Vec::new(),
        }
    }

    /// Whether the statement should answer the question, and not change another statement as it says.
    pub(super) fn is_question(&self) -> bool {
        !matches!(self.trial, Trial::Change)
    }

    /// Tries a statement of the engine of this run.
    pub(super) fn try_statement(
        &self,
        cx: &Run<'_>,
        statement: Statement<'_>,
    ) -> Result<ports::Outcome<Tried>, Error> {
        let (sql, limits) = (statement.sql(), &cx.config.limits);
        match &self.trial {
            Trial::Run => Ok(cx.database.run(sql, limits)?.map(Tried::Ran)),
            Trial::Change if !cx.config.approval.applies() => {
                let limits = Limits {
                    max_result_rows: 1,
                    ..limits.clone()
                };
                Ok(cx.database.run(sql, &limits)?.map(Tried::Ran))
            }
            Trial::Check | Trial::Change => match no_dialect(cx) {
                Some(error) => Ok(ports::Outcome::Failed(error)),
                None => Ok(cx.database.check(sql, limits)?.map(Tried::Checked)),
            },
            Trial::RunOrHold(gate) => gate.run_or_check(cx, &statement, self.is_chosen_reading),
        }
    }
}

/// How a question ends with an engine.
pub(super) enum Outcome {
    /// With SQL that passed, and what it gave.
    Passed(Box<SqlProposal>, Tried),
    /// With an answer without rows that is the last word.
    Answered(Box<Answer>, By),
    /// With an answer without rows that another engine may improve on.
    Declined(Box<Answer>),
    /// With the questions that it consists of, complete ones.
    Several(Vec<String>),
}

/// Who says that an answer without rows is the last word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The engine.
    Engine,
    /// The words of the question and the names and values of the database, without an engine.
    Names,
}

/// A question that ended, with what was understood and found.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) understanding: Rc<Understanding>,
    pub(super) context: Rc<Context>,
}

/// A question with the SQL that answers it.
pub(super) struct Solved {
    pub(super) understanding: Rc<Understanding>,
    pub(super) context: Rc<Context>,
    pub(super) proposal: SqlProposal,
    /// What the SQL gave.
    pub(super) tried: Tried,
}

impl Ended {
    /// The SQL, or the answer that says why there is none.
    pub(super) fn solved(self) -> Result<Solved, Box<Answer>> {
        match self.outcome {
            Outcome::Passed(proposal, tried) => Ok(Solved {
                understanding: self.understanding,
                context: self.context,
                proposal: *proposal,
                tried,
            }),
            Outcome::Answered(answer, _) | Outcome::Declined(answer) => Err(answer),
            Outcome::Several(parts) => Err(Box::new(one_at_a_time(parts))),
        }
    }
}

impl Given for Ended {
    fn unsure(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Declined(answer) => Some(answer),
            Outcome::Passed(..) | Outcome::Answered(..) | Outcome::Several(_) => None,
        }
    }

    fn is_of_engine(&self) -> bool {
        !matches!(self.outcome, Outcome::Answered(_, By::Names))
    }
}

/// Why nothing that the built-in engine writes can be checked: it writes PostgreSQL, and the question may be about a schema
/// of another dialect.
fn no_dialect(cx: &Run<'_>) -> Option<DatabaseError> {
    let dialect = cx.config.given_schema?;
    let is_foreign = dialect != Dialect::PostgreSql;
    (is_foreign && matches!(cx.config.model, ModelConfig::Builtin)).then(|| DatabaseError {
        sqlstate: "0A000".to_owned(),
        message: format!("the built-in engine writes PostgreSQL, not {dialect}"),
        detail: None,
        hint: Some("Name a model that writes SQL: SET text2sql.model = 'gpt'.".to_owned()),
        position: None,
        is_private: false,
    })
}
