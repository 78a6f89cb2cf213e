//! Questions with the SQL that answers them.
//!
//! The guard judges the SQL when it is added, so an example refers only to existing objects that its author can
//! read. It is used once a user has verified it.

use std::collections::HashMap;
use std::ffi::CString;

use serde_json::{Value, json};
use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_knowledge::pair::Pair;

use super::{as_owner, check_visible, required, required_id};
use crate::pg::access::objects::catalog_stamp;
use crate::pg::access::objects::references::References;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::internal_settings::with_settings;
use crate::pg::stored::knowledge::stored_sql::{Problem, SqlCheck};

/// How to find ids.
pub(super) const LIST: &str = "List the examples: SELECT id, question FROM text2sql.examples;";

const ADD: &str = "
    INSERT INTO text2sql._examples (question, sql, origin, catalog, object_names, object_oids, column_numbers, taught_by)
    SELECT e.question, e.sql, $2, $3, e.names, e.oids, e.numbers, $4::name
    FROM json_to_recordset($1::json) AS e(question text, sql text, names text[], oids oid[], numbers int2[])
    ON CONFLICT (md5(question), md5(sql)) DO NOTHING
    RETURNING id, question, sql";
const FIND_ALL: &str = "
    SELECT e.id, e.question, e.sql
    FROM (SELECT DISTINCT question, sql FROM json_to_recordset($1::json) AS g(question text, sql text)) AS given
    JOIN text2sql._examples e ON md5(e.question) = md5(given.question) AND md5(e.sql) = md5(given.sql)";
const EXISTING: &str = "
    SELECT coalesce(json_agg(json_build_array(id, verified_by)), '[]')::text FROM text2sql._examples WHERE id = ANY ($1)";
const DROP_ALL: &str = "DELETE FROM text2sql._examples WHERE id = ANY ($1)";
const READ: &str = "
    SELECT json_build_object('question', question, 'sql', sql)::text FROM text2sql._examples WHERE id = $1";
pub(super) const IS_CURATOR: &str =
    "SELECT has_function_privilege('text2sql.add_example(text, text)', 'EXECUTE')";
const IS_VISIBLE: &str = "SELECT true FROM text2sql._examples WHERE id = $1";
// With what the names mean to the role that verifies it: another path may mean other tables, and a view may be replaced.
const VERIFY: &str = "
    UPDATE text2sql._examples x SET verified_by = $2::name, verified_at = now(), catalog = $3,
        former_names = CASE WHEN x.object_names = e.names THEN x.former_names END,
        object_names = e.names, object_oids = e.oids, column_numbers = e.numbers,
        behind_names = e.behind_names, behind_oids = e.behind_oids
    FROM json_to_recordset($1::json) AS e(id bigint, names text[], oids oid[], numbers int2[], behind_names text[], behind_oids oid[])
    WHERE x.id = e.id RETURNING x.id";
const UNVERIFY: &str = "
    UPDATE text2sql._examples SET verified_by = NULL, verified_at = NULL WHERE id = $1 RETURNING id";
const DROP: &str = "DELETE FROM text2sql._examples WHERE id = $1 RETURNING id";

/// Adds one example; returns its id, also when it already existed.
pub(crate) fn add(question: Option<&str>, sql: Option<&str>) -> Result<i64, Error> {
    let (question, sql) = (required(question, "question")?, required(sql, "SQL")?);
    let pair =
        Pair::new(question, sql).map_err(|message| Error::new(ErrorKind::Setting, message))?;
    add_pair(pair, &SqlCheck::new()?, "taught")
}

/// Adds one pair; returns its id, also when it already existed.
pub(crate) fn add_pair(pair: Pair, judge: &SqlCheck, origin: &str) -> Result<i64, Error> {
    let row = match judge.reads(&pair.sql)? {
        Ok(objects) => {
            let references = References::to(&objects);
            check_visible(&references)?;
            row(&pair, &references)
        }
        Err(problem) => return Err(problem.into_error("the SQL is not valid")),
    };
    let rows = [row];
    let added = insert(&rows, origin)?;
    if let Some(id) = added.into_values().next() {
        return Ok(id);
    }
    find(&rows)?.into_values().next().ok_or_else(|| {
        failure!(
            Denied,
            "the example exists already and reads tables that the role may not read"
        )
    })
}

/// A row for [`insert`].
pub(super) fn row(pair: &Pair, references: &References) -> Value {
    json!({
        "question": pair.question,
        "sql": pair.sql,
        "names": references.names,
        "oids": oids(references),
        "numbers": references.column_numbers,
    })
}

fn oids(references: &References) -> Vec<u32> {
    references.oids.iter().map(|oid| oid.to_u32()).collect()
}

/// A row for [`mark_verified`], or why the SQL cannot be used.
pub(super) fn verifiable(
    id: i64,
    sql: &str,
    judge: &SqlCheck,
) -> Result<Result<Value, Problem>, Error> {
    if let Some(problem) = judge.problem(sql)? {
        return Ok(Err(problem));
    }
    let objects = match judge.reads(sql)? {
        Ok(objects) => objects,
        Err(problem) => return Ok(Err(problem)),
    };
    let references = References::to(&objects);
    check_visible(&references)?;
    let (behind_oids, behind_names): (Vec<u32>, Vec<String>) =
        judge.behind_views(sql)?.into_iter().unzip();
    Ok(Ok(json!({
        "id": id,
        "names": references.names,
        "oids": oids(&references),
        "numbers": references.column_numbers,
        "behind_oids": behind_oids,
        "behind_names": behind_names,
    })))
}

/// Marks examples that the caller can see as verified by it; how many there are.
pub(super) fn mark_verified(rows: Vec<Value>) -> Result<usize, Error> {
    let arguments = [
        Value::from(rows).to_string().into(),
        user_name().into(),
        catalog_stamp().into(),
    ];
    Ok(as_owner(|| spi::write(VERIFY, &arguments, |_| Ok(())))?.len())
}

/// The ids of examples by question and SQL.
pub(super) type Ids = HashMap<(String, String), i64>;

/// Stores examples; returns those that did not exist.
pub(super) fn insert(rows: &[Value], origin: &str) -> Result<Ids, Error> {
    let arguments = [
        Value::from(rows.to_vec()).to_string().into(),
        origin.into(),
        catalog_stamp().into(),
        user_name().into(),
    ];
    let added = as_owner(|| spi::write(ADD, &arguments, identified))?;
    Ok(added.into_iter().flatten().collect())
}

/// Those of the given examples that exist and that the caller can see.
pub(super) fn find(rows: &[Value]) -> Result<Ids, Error> {
    let document = Value::from(rows.to_vec()).to_string();
    // As the owner by the index on the texts, which row-level security would not let be used; then as the caller.
    let arguments = [document.into()];
    let found = as_owner(|| spi::read_rows(FIND_ALL, &arguments, 0, identified))?;
    let ids: Vec<i64> = found.iter().flatten().map(|(_, id)| *id).collect();
    let seen = existing(&ids)?;
    let found = found.into_iter().flatten();
    Ok(found.filter(|(_, id)| seen.contains_key(id)).collect())
}

/// A question and its SQL, and the id of the example that has both.
type Identified = ((String, String), i64);

fn identified(row: &spi::Row) -> Result<Option<Identified>, Error> {
    let (id, question, sql) = (row.read(1)?, row.read(2)?, row.read(3)?);
    Ok(question.zip(sql).zip(id))
}

/// Which of these examples exist and can be seen by the caller, and who verified them.
pub(super) fn existing(ids: &[i64]) -> Result<HashMap<i64, Option<String>>, Error> {
    let found: Vec<(i64, Option<String>)> = spi::read_json(EXISTING, &[ids.to_vec().into()])?;
    Ok(found.into_iter().collect())
}

/// Removes examples that the caller can see.
pub(super) fn drop_all(ids: &[i64]) -> Result<(), Error> {
    let seen: Vec<i64> = existing(ids)?.into_keys().collect();
    as_owner(|| spi::write(DROP_ALL, &[seen.into()], |_| Ok(()))).map(drop)
}

/// The pair of that id, if the caller can see it.
pub(crate) fn read(id: i64) -> Result<Pair, Error> {
    let text: Option<String> = spi::read_one(READ, &[id.into()])?;
    let pair = text.and_then(|text| Pair::read(&text)?.ok());
    pair.ok_or_else(|| unknown(id))
}

/// Marks an example as verified by the caller.
pub(crate) fn verify(id: Option<i64>) -> Result<(), Error> {
    let id = required_id(id, "example", LIST)?;
    let row = verifiable(id, &read(id)?.sql, &SqlCheck::new()?)?.map_err(|problem| {
        problem.into_error(&format!("the SQL of example {id} is no longer valid"))
    })?;
    match mark_verified(vec![row])? {
        0 => Err(unknown(id)),
        _ => Ok(()),
    }
}

/// An error unless the caller may verify examples; `refused` says what it cannot do.
pub(crate) fn require_curator(refused: &str) -> Result<(), Error> {
    if spi::read_one::<bool>(IS_CURATOR, &[])?.unwrap_or(false) {
        return Ok(());
    }
    Err(
        failure!(Denied, "{refused}: the role is no curator").with_hint(format!(
            "Ask the owner of pg_text2sql to run: SELECT text2sql.grant_access('{}', 'curator');",
            user_name().replace('\'', "''")
        )),
    )
}

/// Removes the verification of an example.
pub(crate) fn unverify(id: Option<i64>) -> Result<(), Error> {
    let id = required_id(id, "example", LIST)?;
    change(id, UNVERIFY, &[id.into()])
}

/// Removes an example.
pub(crate) fn drop_example(id: Option<i64>) -> Result<(), Error> {
    let id = required_id(id, "example", LIST)?;
    change(id, DROP, &[id.into()])
}

/// Changes an example that the caller can see.
fn change(
    id: i64,
    sql: &'static str,
    arguments: &[pgrx::datum::DatumWithOid<'_>],
) -> Result<(), Error> {
    if spi::read_one::<bool>(IS_VISIBLE, &[id.into()])?.is_none()
        || as_owner(|| spi::write(sql, arguments, |_| Ok(())))?.is_empty()
    {
        return Err(unknown(id));
    }
    Ok(())
}

/// Why SQL cannot be used now; `None` when it can.
pub(crate) fn problem_of(sql: &str) -> Result<Option<String>, Error> {
    Ok(SqlCheck::new()?
        .problem(sql)?
        .map(|problem| problem.message))
}

/// Adds a question with its query, and verifies it as what was approved: under that `search_path`, where the query reads
/// these relations, whatever the path of the caller is.
pub(crate) fn add_verified(
    (question, sql): (&str, &str),
    search_path: &str,
    relations: &[u32],
) -> Result<i64, Error> {
    let path = CString::new(search_path).unwrap_or_default();
    with_settings(&[&[(c"search_path", &path)]], || {
        if SqlCheck::new()?.relations_read(sql)?.as_deref() != Some(relations) {
            let problem = "the query reads other tables for you than for the role that asked";
            return Err(failure!(Setup, "{problem}").with_hint("Approve it without as_example."));
        }
        let example = add(Some(question), Some(sql))?;
        verify(Some(example))?;
        Ok(example)
    })
}

fn unknown(id: i64) -> Error {
    failure!(Undefined, "example {id} does not exist").with_hint(LIST)
}
