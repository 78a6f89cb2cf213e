//! `text2sql.accept(kind, id, as_example)` and `reject(kind, id, reason)`: what a curator decides about suggestions, joins
//! and examples, and an approver about queries that wait.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::text_argument::Text;
use crate::pg::stored::record::approvals;
use crate::pg::stored::teaching::{examples, joins, suggestions, unknown_kind};

/// What is decided about.
const KINDS: [&str; 4] = ["example", "join", "query", "suggestion"];

/// Has questions use a suggestion, a suggested join or an example, or lets the role that asked run its query; returns what
/// became of it.
#[pg_extern(volatile, parallel_unsafe)]
fn accept(
    kind: Option<Text<'_>>,
    id: Option<i64>,
    as_example: default!(Option<bool>, "false"),
) -> Result<String, ErrorReport> {
    let as_example = as_example.unwrap_or(false);
    let accept = || {
        let hint = "SELECT text2sql.accept('query', 17, as_example => true);";
        match decided("accept", kind.as_deref(), ("as_example", as_example, hint))? {
            "example" => examples::verify(id).map(|()| "verified".to_owned()),
            "join" => joins::decide(id, true).map(|()| "accepted".to_owned()),
            "query" => approve(id, as_example).map(|()| "approved".to_owned()),
            _ => suggestions::accept(id),
        }
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
        let hint = "SELECT text2sql.reject('query', 17, 'too broad');";
        match decided(
            "reject",
            kind.as_deref(),
            ("reason", reason.is_some(), hint),
        )? {
            "example" => examples::unverify(id),
            "join" => joins::decide(id, false),
            "query" => approvals::reject(id, reason),
            _ => suggestions::reject(id),
        }
    };
    reject().map_err(report)?;
    Ok("rejected".to_owned())
}

/// The kind, if the caller may decide about it; with the argument that only a query has, whether it is given, and a call
/// with it.
fn decided<'k>(
    function: &str,
    kind: Option<&'k str>,
    (argument, is_given, hint): (&str, bool, &str),
) -> Result<&'k str, Error> {
    match kind {
        Some("query") => approvals::require_approver()?,
        Some(kind) if KINDS.contains(&kind) => {
            if is_given {
                let problem = format!("{argument} is for a query that waits for approval");
                return Err(Error::new(ErrorKind::Setting, problem).with_hint(hint));
            }
            examples::require_curator(&format!("this cannot be {function}ed"))?;
        }
        kind => {
            return Err(unknown_kind(kind, &KINDS).with_hint(format!(
                "For example: SELECT text2sql.{function}('example', 17);"
            )));
        }
    }
    Ok(kind.unwrap_or_default())
}

/// Approves the query of another role, and makes a verified example of it if requested. Nothing is run: the role that
/// asked does that, with its own privileges.
fn approve(id: Option<i64>, as_example: bool) -> Result<(), Error> {
    let (id, decided) = approvals::approve(id)?;
    if as_example {
        examples::require_curator("an approved query cannot be made an example")?;
        let example = examples::add_verified(
            (&decided.question, &decided.sql),
            &decided.search_path,
            &decided.relations,
        )?;
        approvals::keep_example(id, example)?;
    }
    Ok(())
}
