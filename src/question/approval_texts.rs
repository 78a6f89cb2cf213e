//! What is said about a query that waits for approval.

use text2sql_domain::answer::{Answer, Status};

use crate::pg::server::error::Raised;

/// The hint of functions whose errors undo what they stored: another one asks for the approval. It does not repeat
/// the question, because errors go to the server log.
pub(super) const HINT_TO_ASK: &str = "Ask with text2sql.ask(), which asks for the approval, and call this function again when it is given.";

/// The error of a function that would make something of a query that has to wait.
pub(crate) fn must_wait(reason: &str) -> Raised {
    Raised::status(Answer {
        hint: Some(HINT_TO_ASK.to_owned()),
        warnings: vec![format!("it waits because {reason}")],
        ..Answer::without_rows(Status::Waiting, "the query waits for approval")
    })
}

/// A sentence about a query that waits, with its id.
pub(super) fn with_id(said: &str, id: i64) -> String {
    format!("{said} (id {id})")
}

/// How to get the answer.
pub(super) fn hint(id: i64) -> String {
    format!("When it is approved: SELECT * FROM text2sql.answer({id});")
}
