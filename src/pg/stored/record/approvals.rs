//! Queries that wait for approval, and the rules that decide whose queries do.
//!
//! Both are read and written as the owner of their tables: a role that could write them would approve its own
//! queries.

use pgrx::pg_sys;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use text2sql_domain::approval::{Approval, ApprovalRule, ApprovedQuery, Held};
use text2sql_domain::error::{Error, failure};
use text2sql_domain::proposal::SqlProposal;

use crate::pg::access::objects::search_path_setting;
use crate::pg::server::session::user_name;
use crate::pg::server::spi::json_text::json_text;
use crate::pg::server::spi::owner::{as_owner_of, has_no_block};
use crate::pg::server::spi::role::EffectiveRole;
use crate::pg::server::spi::sandbox::keep_no_locks;
use crate::pg::server::{settings, spi};

const APPROVAL_OF_ASKER: &str = include_str!("../../../../sql/queries/approval_of_asker.sql");
const RECORD_APPROVAL: &str = include_str!("../../../../sql/queries/record_approval.sql");
const READ_APPROVAL: &str = include_str!("../../../../sql/queries/read_approval.sql");
const DECIDE_APPROVAL: &str = include_str!("../../../../sql/queries/decide_approval.sql");
const KEEP_EXAMPLE: &str =
    "UPDATE text2sql._approvals SET example_id = $2 WHERE id = $1 RETURNING id";

/// As `sql/schema/approvals.sql` shows who may see all of them.
const IS_APPROVER: &str = "SELECT has_table_privilege('text2sql._approval_rules', 'SELECT')";

/// How to find ids.
const LIST: &str =
    "List the questions: SELECT id, status, question FROM text2sql.approvals ORDER BY id;";

/// Maximum length of the reason of a rejection in bytes, as `sql/schema/approvals.sql` checks.
const MAX_REASON_BYTES: usize = 65_536;

/// The role that a query runs as, and the role that logged in.
fn caller_and_login() -> (pg_sys::Oid, pg_sys::Oid) {
    // SAFETY: both read a variable.
    unsafe { (pg_sys::GetUserId(), pg_sys::GetSessionUserId()) }
}

fn name_of(oid: pg_sys::Oid) -> String {
    let role = EffectiveRole {
        oid,
        is_switched: false,
    };
    role.name()
}

/// The rule for the caller, and the queries that were approved for it.
pub(crate) fn of_caller() -> Result<Approval, Error> {
    #[derive(Deserialize)]
    struct Found {
        is_always: bool,
        min_confidence: f64,
        approved: Vec<ApprovedQuery>,
    }
    // Most databases have no rules, and need no query to find that out.
    if has_no_block(c"_approval_rules") {
        return Ok(Approval::default());
    }
    let (caller, login) = caller_and_login();
    let found = keep_no_locks(|| {
        as_owner_of(c"_approval_rules", || {
            let arguments = [caller.into(), login.into()];
            spi::read_one::<String>(APPROVAL_OF_ASKER, &arguments)
        })
    })?;
    Ok(
        match found.map(|found| parsed::<Found>(&found)).transpose()? {
            None => Approval::default(),
            Some(found) => Approval {
                rule: match found.is_always {
                    true => ApprovalRule::Always,
                    false => ApprovalRule::Uncertain {
                        least_confidence: found.min_confidence,
                    },
                },
                approved: found.approved,
                asker: [caller, login].map(name_of).to_vec(),
            },
        },
    )
}

/// A query that is to wait.
pub(crate) struct Waiting<'a> {
    pub(crate) trace_id: pgrx::Uuid,
    pub(crate) question: &'a str,
    pub(crate) standalone: Option<&'a str>,
    pub(crate) conversation: Option<&'a str>,
    pub(crate) model: &'a str,
    pub(crate) sql: &'a str,
    /// The relations that it reads, those behind views included, by OID, sorted.
    pub(crate) relations: Vec<u32>,
    pub(crate) held: &'a Held,
    /// What it does, in words.
    pub(crate) explanation: &'a str,
    /// The findings about it.
    pub(crate) trust_report: serde_json::Value,
    /// The planner's estimates of cost and rows.
    pub(crate) estimate: Option<(f64, f64)>,
}

/// Stores a query that waits; returns the id under which it can be approved.
pub(crate) fn record(waiting: &Waiting<'_>) -> Result<i64, Error> {
    let held = waiting.held;
    let document = json!({
        "trace_id": waiting.trace_id.to_string(),
        "question": waiting.question,
        "standalone": waiting.standalone,
        "conversation": waiting.conversation,
        "model": waiting.model,
        "sql": waiting.sql,
        "relations": waiting.relations,
        "search_path": search_path_setting(),
        "reasons": held.reasons,
        "explanation": waiting.explanation,
        "trust_report": waiting.trust_report,
        "plan_cost": waiting.estimate.map(|(cost, _)| cost),
        "plan_rows": waiting.estimate.map(|(_, rows)| rows),
        "proposal": {"sentence": held.sentence, "notes": held.notes, "links": held.links},
    });
    let document = json_text(&document)?;
    let (caller, _) = caller_and_login();
    let minutes = settings::approval_validity();
    let ids = as_owner_of(c"_approvals", || {
        let arguments = [document.into(), caller.into(), minutes.into()];
        spi::write(RECORD_APPROVAL, &arguments, |row| row.read::<i64>(1))
    })?;
    let id = ids.into_iter().flatten().next();
    id.ok_or_else(|| failure!(Internal, "no query was stored for approval"))
}

/// A question of the caller whose query waits or waited.
#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    /// `waiting`, `approved`, `rejected` or `expired`.
    pub(crate) status: String,
    pub(crate) question: String,
    pub(crate) standalone: Option<String>,
    pub(crate) sql: String,
    /// The relations that it read, and the path under which it did.
    pub(crate) relations: Vec<u32>,
    pub(crate) search_path: String,
    pub(crate) explanation: String,
    proposal: Written,
    /// The conversation in which it was asked, and its id in the history.
    pub(crate) conversation: Option<String>,
    pub(crate) trace_id: String,
    pub(crate) decided_by: Option<String>,
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Written {
    sentence: Option<String>,
    notes: Vec<String>,
    links: Vec<String>,
}

impl Asked {
    /// The query with what its answer needs.
    pub(crate) fn proposal(&self) -> SqlProposal {
        SqlProposal {
            sql: self.sql.clone(),
            sentence: self.proposal.sentence.clone(),
            notes: self.proposal.notes.clone(),
            links: self.proposal.links.clone(),
            ..SqlProposal::default()
        }
    }
}

/// The question of the caller with that id. One of another role does not exist for the caller.
pub(crate) fn asked(id: Option<i64>) -> Result<(i64, Asked), Error> {
    let id = required(id)?;
    let (caller, _) = caller_and_login();
    let asked = as_owner_of(c"_approvals", || {
        spi::read_one::<String>(READ_APPROVAL, &[id.into(), caller.into()])
    })?;
    match asked {
        Some(asked) => Ok((id, parsed(&asked)?)),
        None => Err(failure!(
            Undefined,
            "no question with id {id} of this role waits or waited for approval"
        )
        .with_hint(LIST)),
    }
}

/// A question about which was decided.
#[derive(Debug, Deserialize)]
pub(crate) struct Decided {
    status: String,
    is_own: bool,
    asked_by: String,
    decided_by: Option<String>,
    /// The complete question.
    pub(crate) question: String,
    /// Its query.
    pub(crate) sql: String,
    /// The relations that it read, and the path under which it did.
    pub(crate) relations: Vec<u32>,
    pub(crate) search_path: String,
}

/// An error unless the role may decide about queries that wait.
pub(crate) fn require_approver() -> Result<(), Error> {
    if spi::read_one::<bool>(IS_APPROVER, &[])? == Some(true) {
        return Ok(());
    }
    Err(
        failure!(Denied, "no query can be decided: the role is no approver").with_hint(format!(
            "Ask the owner of pg_text2sql to run: SELECT text2sql.grant_access('{}', 'approver');",
            user_name().replace('\'', "''")
        )),
    )
}

/// Approves the query of another role.
pub(crate) fn approve(id: Option<i64>) -> Result<(i64, Decided), Error> {
    decide(id, "approved", None)
}

/// Rejects the query of another role.
pub(crate) fn reject(id: Option<i64>, reason: Option<&str>) -> Result<(), Error> {
    let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
    if reason.is_some_and(|reason| reason.len() > MAX_REASON_BYTES) {
        return Err(failure!(
            Limit,
            "the reason has more than {MAX_REASON_BYTES} bytes"
        ));
    }
    decide(id, "rejected", reason).map(drop)
}

/// Notes which example a question became.
pub(crate) fn keep_example(id: i64, example: i64) -> Result<(), Error> {
    as_owner_of(c"_approvals", || {
        spi::write(KEEP_EXAMPLE, &[id.into(), example.into()], |_| Ok(())).map(drop)
    })
}

fn decide(
    id: Option<i64>,
    decision: &'static str,
    reason: Option<&str>,
) -> Result<(i64, Decided), Error> {
    let id = required(id)?;
    let (caller, login) = caller_and_login();
    let minutes = settings::approval_validity();
    let found = as_owner_of(c"_approvals", || {
        let arguments = [
            id.into(),
            caller.into(),
            login.into(),
            decision.into(),
            reason.into(),
            minutes.into(),
        ];
        spi::write(DECIDE_APPROVAL, &arguments, |row| row.read::<String>(1))
    })?;
    let Some(found) = found.into_iter().flatten().next() else {
        return Err(failure!(
            Undefined,
            "no question with id {id} waits or waited for approval"
        )
        .with_hint(LIST));
    };
    let found: Decided = parsed(&found)?;
    if found.status != "waiting" {
        let outcome = match (found.status.as_str(), found.decided_by) {
            ("expired", _) | (_, None) => "it has expired".to_owned(),
            (status, Some(role)) => format!("it was {status} by {role}"),
        };
        return Err(failure!(Setup, "question {id} does not wait: {outcome}").with_hint(LIST));
    }
    if found.is_own {
        return Err(failure!(Denied, "question {id} must be decided by another person than who asked it")
        .with_detail(format!(
            "It was asked by {}. One login counts as one person, except a login that may not ask itself, such as that of a connection pool.",
            found.asked_by
        ))
        .with_hint("Ask another role with access as approver to decide."));
    }
    Ok((id, found))
}

fn parsed<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(|error| {
        failure!(Internal, "could not read the stored question").with_source(error)
    })
}

fn required(id: Option<i64>) -> Result<i64, Error> {
    id.ok_or_else(|| failure!(Missing, "id must not be null").with_hint(LIST))
}
