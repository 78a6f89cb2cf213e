//! Feedback on answers: it becomes an example, or a suggested definition, for review by a curator.
//!
//! A role gives feedback on its own questions, a curator on the questions of any role. SQL passes the guard as
//! the caller; everything is written as the owner of the tables, because the caller need not be a curator, and
//! because the question comes from the history and not from the caller.

use pgrx::pg_sys;
use serde::Deserialize;
use serde_json::{Value, json};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_knowledge::pair::Pair;
use text2sql_knowledge::remark::defined_term;

use super::examples::IS_CURATOR;
use super::required;
use crate::pg::access::objects::references::References;
use crate::pg::access::objects::{Object, ObjectKind, catalog_stamp};
use crate::pg::server::session::user_name;
use crate::pg::server::spi::owner::{as_owner_of, can_write};
use crate::pg::server::{settings, spi};
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

const ASKED_QUESTION: &str = include_str!("../../../../sql/queries/asked_question.sql");
const KEEP_FEEDBACK: &str = include_str!("../../../../sql/queries/keep_feedback.sql");
const DROP_FEEDBACK: &str = include_str!("../../../../sql/queries/drop_feedback.sql");
const ADD_EXAMPLE: &str = "
    WITH added AS (
        INSERT INTO text2sql._examples (question, sql, origin, catalog, object_names, object_oids, column_numbers, taught_by)
        VALUES ($1, $2, 'feedback', $3, $4, $5, $6, $7::name)
        ON CONFLICT (md5(question), md5(sql)) DO NOTHING
        RETURNING id
    )
    SELECT id FROM added
    UNION ALL
    SELECT e.id FROM text2sql._examples AS e WHERE md5(e.question) = md5($1) AND md5(e.sql) = md5($2)";
const ADD_SUGGESTION: &str = "
    INSERT INTO text2sql._suggestions (kind, catalog, object_names, object_oids, column_numbers, suggestion, term, model, suggested_by)
    VALUES ('definition', $1, $2, $3, $4, $5, $6, 'feedback', $7::name)
    RETURNING id";

/// Maximum length of a comment in bytes, as `sql/schema/feedback.sql` checks.
const MAX_COMMENT_BYTES: usize = 65_536;

const CALL: &str = "Find the trace_id in the history: SELECT text2sql.add_feedback(trace_id, 'wrong', 'SELECT …') FROM text2sql.history ORDER BY asked_at DESC LIMIT 1;";

/// Feedback on an answer.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    /// The trace_id of the question.
    pub(crate) trace_id: Option<pgrx::Uuid>,
    /// `right` or `wrong`.
    pub(crate) verdict: Option<&'a str>,
    /// The SQL that would have been correct.
    pub(crate) corrected_sql: Option<&'a str>,
    /// A comment; a definition in it becomes a suggestion.
    pub(crate) comment: Option<&'a str>,
}

/// A question from the history.
#[derive(Debug, Deserialize)]
struct Asked {
    function: String,
    question: String,
    status: String,
    sql: Option<String>,
    verified_by: Option<String>,
}

/// Stores feedback, replacing earlier feedback of the caller on the same answer; returns the id of the example
/// that awaits review by a curator, if any.
pub(crate) fn add(given: &Given<'_>) -> Result<Option<i64>, Error> {
    let trace_id = trace_id(given.trace_id)?;
    let verdict = required(given.verdict, "verdict")?;
    check_verdict(verdict, given.corrected_sql)?;
    let comment = given.comment.map(str::trim).filter(|text| !text.is_empty());
    if comment.is_some_and(|comment| comment.len() > MAX_COMMENT_BYTES) {
        return Err(failure!(
            Limit,
            "the comment has more than {MAX_COMMENT_BYTES} bytes"
        ));
    }
    check_can_write()?;
    let asked = asked(&trace_id)?;
    let judge = SqlCheck::new()?;
    // SQL that the caller may not run, or that never ran, is not stored where a curator could read it.
    let answered = match &asked.sql {
        Some(sql) => judge.reads(sql)?.ok(),
        None => None,
    };
    let (pair, mut objects) = match given.corrected_sql {
        Some(corrected) => {
            let pair = Pair::new(&asked.question, corrected)
                .map_err(|message| Error::new(ErrorKind::Setting, message))?;
            let objects = judge
                .reads(&pair.sql)?
                .map_err(|problem| problem.into_error("the corrected SQL is not valid"))?;
            (Some(pair), objects)
        }
        None => (
            right_answer(&asked, verdict, answered.is_some()),
            Vec::new(),
        ),
    };
    let read_by_pair = References::to(match given.corrected_sql {
        Some(_) => &objects,
        None => answered.as_deref().unwrap_or_default(),
    });
    let kept_sql = answered.as_ref().and(asked.sql.clone());
    objects.extend(answered.unwrap_or_default());
    let references = References::to(&objects);
    let term = comment.and_then(defined_term);
    let table = term.as_ref().and_then(|_| first_table(&objects));
    let user = user_name();
    as_owner_of(c"_feedback", || {
        drop_as(&trace_id, &user)?;
        let example_id = match &pair {
            Some(pair) => add_example(pair, &read_by_pair, &user)?,
            None => None,
        };
        let suggestion_id = match (&term, &table) {
            (Some(term), Some(table)) => {
                let ids = spi::write(
                    ADD_SUGGESTION,
                    &[
                        table.catalog.clone().into(),
                        table.names.clone().into(),
                        table.oids.clone().into(),
                        table.column_numbers.clone().into(),
                        term.meaning.clone().into(),
                        term.term.clone().into(),
                        user.clone().into(),
                    ],
                    |row| row.read::<i64>(1),
                )?;
                ids.into_iter().flatten().next()
            }
            _ => None,
        };
        let oids: Vec<u32> = references.oids.iter().map(|oid| oid.to_u32()).collect();
        let document: Value = json!({
            "trace_id": trace_id,
            "given_by": user,
            "verdict": verdict,
            "corrected_sql": given.corrected_sql.and(pair.as_ref()).map(|pair| &pair.sql),
            "comment": comment,
            "question": asked.question,
            "status": asked.status,
            "sql": kept_sql,
            "answer_verified_by": asked.verified_by,
            "example_id": example_id,
            "suggestion_id": suggestion_id,
            "catalog": catalog_stamp(),
            "names": references.names,
            "oids": oids,
            "numbers": references.column_numbers,
        });
        spi::write(KEEP_FEEDBACK, &[document.to_string().into()], |_| Ok(()))?;
        Ok(example_id)
    })
}

/// Removes the caller's feedback on an answer.
pub(crate) fn drop_feedback(trace_id: Option<&str>) -> Result<(), Error> {
    let given = required(trace_id, "trace_id")?;
    let user = user_name();
    let list = format!(
        "List the feedback: SELECT trace_id, question FROM text2sql.feedback WHERE given_by = '{}';",
        user.replace('\'', "''")
    );
    let trace_id = canonical(given).ok_or_else(|| {
        let problem = format!("invalid id \"{given}\" of kind \"feedback\"");
        Error::new(ErrorKind::Setting, problem)
            .with_detail("Feedback has the trace_id of the question.")
            .with_hint(list.clone())
    })?;
    check_can_write()?;
    if as_owner_of(c"_feedback", || drop_as(&trace_id, &user))? {
        return Ok(());
    }
    let problem = format!("role \"{user}\" gave no feedback on the answer {trace_id}");
    Err(Error::new(ErrorKind::Undefined, problem).with_hint(list))
}

/// A UUID as the server prints it; `None` for what is none. It is read in every form that the server reads.
fn canonical(uuid: &str) -> Option<String> {
    let uuid = uuid.trim();
    let bare = uuid
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let digits: String = bare.unwrap_or(uuid).replace('-', "");
    let bytes = (digits.len() == 32).then(|| u128::from_str_radix(&digits, 16).ok())??;
    Some(pgrx::Uuid::from_bytes(bytes.to_be_bytes()).to_string())
}

fn trace_id(given: Option<pgrx::Uuid>) -> Result<String, Error> {
    match given {
        Some(trace_id) => Ok(trace_id.to_string()),
        None => Err(failure!(Missing, "trace_id must not be null").with_hint(CALL)),
    }
}

fn check_verdict(verdict: &str, corrected_sql: Option<&str>) -> Result<(), Error> {
    match (verdict, corrected_sql) {
        ("wrong", _) | ("right", None) => Ok(()),
        ("right", Some(_)) => Err(
            failure!(Setting, "a correct answer cannot have corrected SQL")
                .with_hint("Use verdict => 'wrong', or omit corrected_sql."),
        ),
        (other, _) => Err(failure!(Setting, "invalid verdict \"{other}\"")
            .with_hint("Use verdict => 'right' or verdict => 'wrong'.")),
    }
}

fn check_can_write() -> Result<(), Error> {
    if can_write() {
        return Ok(());
    }
    Err(failure!(
        ReadOnly,
        "cannot store feedback on a standby or in a read-only transaction"
    )
    .with_hint("Call the function on the primary server, outside a read-only transaction."))
}

/// The question as recorded, if the caller may give feedback on it.
fn asked(trace_id: &str) -> Result<Asked, Error> {
    // SAFETY: reads a variable.
    let caller = unsafe { pg_sys::GetUserId() };
    let is_curator = spi::read_one::<bool>(IS_CURATOR, &[])?.unwrap_or(false);
    let text: Option<String> = as_owner_of(c"history", || {
        spi::read_one(
            ASKED_QUESTION,
            &[trace_id.into(), caller.into(), is_curator.into()],
        )
    })?;
    let Some(text) = text else {
        let hint = if settings::enable_history() {
            "List the last questions: SELECT trace_id, question FROM text2sql.history ORDER BY asked_at DESC LIMIT 10;"
        } else {
            "Questions are not recorded here. A superuser can enable the history: ALTER SYSTEM SET text2sql.enable_history = on;"
        };
        return Err(failure!(Undefined, "question {trace_id} is not in the history, or belongs to another role")
        .with_detail("A question is recorded unless its transaction was rolled back or read-only, it was asked on a standby or with text2sql.enable_history off, or it was deleted.")
        .with_hint(hint));
    };
    serde_json::from_str(&text)
        .map_err(|error| failure!(Internal, "could not read recorded question").with_source(error))
}

/// The pair of a correct answer. A request to `revise` is not a question by itself.
fn right_answer(asked: &Asked, verdict: &str, runs: bool) -> Option<Pair> {
    let is_answer =
        verdict == "right" && runs && asked.status == "ok" && asked.function != "revise";
    let sql = asked.sql.as_deref().filter(|_| is_answer)?;
    Pair::new(&asked.question, sql).ok()
}

/// The first table that the SQL reads: a definition is about a table.
fn first_table(objects: &[Object]) -> Option<References> {
    let object = objects
        .iter()
        .find(|object| object.relation_oid.is_some())?;
    let table = Object {
        kind: ObjectKind::Relation,
        column: None,
        column_number: None,
        ..object.clone()
    };
    Some(References::to(&[table]))
}

/// Adds the example, or finds an existing one.
fn add_example(pair: &Pair, reads: &References, user: &str) -> Result<Option<i64>, Error> {
    let ids = spi::write(
        ADD_EXAMPLE,
        &[
            pair.question.clone().into(),
            pair.sql.clone().into(),
            catalog_stamp().into(),
            reads.names.clone().into(),
            reads.oids.clone().into(),
            reads.column_numbers.clone().into(),
            user.into(),
        ],
        |row| row.read::<i64>(1),
    )?;
    Ok(ids.into_iter().flatten().next())
}

/// As the owner: removes the feedback of `user`; `false` when there is none.
fn drop_as(trace_id: &str, user: &str) -> Result<bool, Error> {
    let ids = spi::write(DROP_FEEDBACK, &[trace_id.into(), user.into()], |_| Ok(()))?;
    Ok(!ids.is_empty())
}
