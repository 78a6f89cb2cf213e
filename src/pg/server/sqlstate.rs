//! SQLSTATEs for outcomes that are a status where there is a status column. Class T2 is in the range that the
//! standard leaves to implementations, and PostgreSQL does not use it.

use text2sql_domain::answer::{Answer, Status};
use text2sql_domain::validate::Rule;

/// The question is ambiguous.
pub(crate) const AMBIGUOUS: &str = "T2001";
/// The database has no answer.
pub(crate) const UNANSWERABLE: &str = "T2002";
/// The caller lacks a privilege.
pub(crate) const NOT_PERMITTED: &str = "T2003";
/// The guard refused.
pub(crate) const BLOCKED: &str = "T2004";
/// No statement worked.
pub(crate) const FAILED: &str = "T2005";
/// The query waits for approval.
pub(crate) const WAITING: &str = "T2006";

/// The NOTICE of a stage that begins (`text2sql.enable_progress`).
pub(crate) const PROGRESS: &str = "T2S01";

/// The SQLSTATE for an answer without rows. An error of the database, or of an endpoint, keeps its own.
pub(crate) fn of_answer(answer: &Answer) -> &str {
    match (answer.status, &answer.error) {
        (Status::Ambiguous, _) => AMBIGUOUS,
        (Status::Unanswerable, _) => UNANSWERABLE,
        (Status::NotPermitted, _) => NOT_PERMITTED,
        (Status::Blocked, _) => BLOCKED,
        (Status::Waiting, _) => WAITING,
        (Status::Failed | Status::Ok, Some(error)) => &error.sqlstate,
        (Status::Failed | Status::Ok, None) => FAILED,
    }
}

/// The SQLSTATE of a refusal by the guard.
pub(crate) fn of_rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Permission => NOT_PERMITTED,
        _ => BLOCKED,
    }
}
