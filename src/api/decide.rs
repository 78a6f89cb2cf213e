//! `text2sql.accept(kind, id, …)` and `reject(kind, id, reason)`: what a curator decides about suggestions, joins and
//! examples, an approver about queries that wait, and an evaluator about what `tune` proposes.

use pgrx::default;
use pgrx::prelude::*;
use text2sql_domain::error::{Error, ErrorKind};

use crate::pg::server::error::{ErrorReport, report};
use crate::pg::server::spi;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::evaluation::require_evaluator;
use crate::pg::stored::record::approvals;
use crate::pg::stored::teaching::{examples, joins, suggestions, unknown_kind};

/// What is decided about; a proposal that is not accepted stays what it is.
const KINDS: [&str; 5] = ["example", "join", "query", "suggestion", "proposal"];

const APPLY_PROPOSAL: &str = "SELECT text2sql_eval._apply_proposal($1, $2)";

/// Has questions use a suggestion, a suggested join or an example, or lets the role that asked run its query; returns what
/// became of it.
#[pg_extern(volatile, parallel_unsafe)]
fn accept(
    kind: Option<Text<'_>>,
    id: Option<i64>,
    as_example: default!(Option<bool>, "false"),
    role_name: default!(Option<Text<'_>>, "NULL"),
) -> Result<String, ErrorReport> {
    let as_example = as_example.unwrap_or(false);
    let role = role_name.as_deref();
    let accept = || {
        let given = [
            ("query", "as_example", as_example),
            ("proposal", "role_name", role.is_some()),
        ];
        match decided("accept", kind.as_deref(), &KINDS, &given)? {
            "example" => examples::verify(id).map(|()| "verified".to_owned()),
            "join" => joins::decide(id, true).map(|()| "accepted".to_owned()),
            "proposal" => spi::write(APPLY_PROPOSAL, &[id.into(), role.into()], |row| {
                Ok(row.read::<String>(1)?.unwrap_or_default())
            })
            .map(|statements| statements.concat()),
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
        let given = [("query", "reason", reason.is_some())];
        match decided("reject", kind.as_deref(), &KINDS[..4], &given)? {
            "example" => examples::unverify(id),
            "join" => joins::decide(id, false),
            "query" => approvals::reject(id, reason),
            _ => suggestions::reject(id),
        }
    };
    reject().map_err(report)?;
    Ok("rejected".to_owned())
}

/// The kind, if the caller may decide about it. Each argument that is given is for one kind.
fn decided<'k>(
    function: &str,
    kind: Option<&'k str>,
    kinds: &[&str],
    arguments: &[(&str, &str, bool)],
) -> Result<&'k str, Error> {
    let Some(kind) = kind.filter(|kind| kinds.contains(kind)) else {
        return Err(unknown_kind(kind, kinds).with_hint(format!(
            "For example: SELECT text2sql.{function}('example', 17);"
        )));
    };
    let mut wrong = arguments.iter();
    if let Some((of, argument, _)) = wrong.find(|(of, _, is_given)| *is_given && *of != kind) {
        let problem = format!("{argument} is not for kind \"{kind}\"");
        return Err(Error::new(ErrorKind::Setting, problem)
            .with_hint(format!("It is for {function}('{of}', …).")));
    }
    match kind {
        "query" => approvals::require_approver()?,
        "proposal" => require_evaluator("no proposal can be applied")?,
        _ => examples::require_curator(&format!("this cannot be {function}ed"))?,
    }
    Ok(kind)
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
