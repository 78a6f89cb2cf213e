//! `text2sql.accept(kind, id)` and `reject(kind, id, reason)`: what a curator decides about suggestions, joins and
//! examples, and an approver about queries that wait. A query is approved by `approve(id)`, for other roles.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::record::approvals;
use crate::pg::stored::teaching::{examples, joins, suggestions, unknown_kind};

/// Has questions use a suggestion, a suggested join or an example; returns what became of it.
#[pg_extern(volatile, parallel_unsafe)]
fn accept(kind: Option<Text<'_>>, id: Option<i64>) -> Result<String, ErrorReport> {
    let accept = || match kind.as_deref() {
        Some("example") => examples::verify(id).map(|()| "verified".to_owned()),
        Some("join") => joins::decide(id, true).map(|()| "accepted".to_owned()),
        Some("suggestion") => suggestions::accept(id),
        kind => Err(unknown("accept", kind, &["example", "join", "suggestion"])),
    };
    accept().map_err(report)
}

/// Has nothing use it, or refuses a query that waits, with a reason for the role that asked.
#[pg_extern(volatile, parallel_unsafe)]
fn reject(
    kind: Option<Text<'_>>,
    id: Option<i64>,
    reason: default!(Option<Text<'_>>, "NULL"),
) -> Result<String, ErrorReport> {
    let reason = reason.as_deref();
    let reject = || {
        let kind = kind.as_deref();
        let taught = ["example", "join", "suggestion"];
        if kind.is_some_and(|kind| taught.contains(&kind)) {
            if reason.is_some() {
                let problem = "reason is for a query that waits for approval";
                return Err(Error::new(ErrorKind::Setting, problem)
                    .with_hint("SELECT text2sql.reject('query', 17, 'too broad');"));
            }
            examples::require_curator("this cannot be rejected")?;
        }
        match kind {
            Some("example") => examples::unverify(id),
            Some("join") => joins::decide(id, false),
            Some("query") => approvals::reject(id, reason),
            Some("suggestion") => suggestions::reject(id),
            kind => Err(unknown(
                "reject",
                kind,
                &["example", "join", "query", "suggestion"],
            )),
        }
    };
    reject().map_err(report)?;
    Ok("rejected".to_owned())
}

/// The error for a kind that the function does not decide about.
fn unknown(function: &str, kind: Option<&str>, kinds: &[&str]) -> Error {
    let error = unknown_kind(kind, kinds);
    match kind {
        Some("query") => error.with_hint(
            "A query that waits is approved by another function: SELECT text2sql.approve(17);",
        ),
        _ => error.with_hint(format!(
            "For example: SELECT text2sql.{function}('example', 17);"
        )),
    }
}
