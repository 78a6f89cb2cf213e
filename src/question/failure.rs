//! Errors as answers, for functions that report the outcome of a question: an invalid question, a model that failed,
//! or one that could not be asked (no key, a budget that is used up, too many questions that wait). An invalid call
//! (an option, a model that does not exist, a privilege, a cancel) remains an error.

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::pipeline_run::Run;
use text2sql_domain::sql_result::DatabaseError;
use text2sql_engine::pipeline;

use crate::pg::server::error::sqlstate_of;

/// The answer for an error, with the SQLSTATE that other functions raise for it.
pub(super) fn failure(error: &Error) -> Answer {
    Answer {
        hint: error.hint().map(str::to_owned),
        warnings: error.detail().map(str::to_owned).into_iter().collect(),
        error: Some(DatabaseError {
            sqlstate: sqlstate_of(error.kind()),
            message: error.message().to_owned(),
            detail: error.detail().map(str::to_owned),
            hint: error.hint().map(str::to_owned),
            position: None,
            is_private: false,
        }),
        ..Answer::without_rows(Status::Failed, error.message())
    }
}

/// The answer of a run, including one where no model could be asked.
pub(super) fn answered(cx: &Run<'_>, result: Result<Answer, Error>) -> Result<Answer, Error> {
    match result {
        Err(error) if error.kind() == ErrorKind::Replica => Ok(Answer {
            trace: cx.trace.borrow().clone(),
            ..failure(&error)
        }),
        Err(error) if error.is_of_endpoint() => Ok(pipeline::failed_answer(cx, &error, &failure)),
        result => result,
    }
}
