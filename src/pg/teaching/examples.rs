//! Questions with the SQL that answers them.
//!
//! The guard judges the SQL when it is added, so an example refers only to existing objects that its author can
//! read. It is used once a user has verified it.

use std::collections::HashMap;

use pgrx::check_for_interrupts;
use serde_json::{Value, json};
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_engine::knowledge_formats::pair::Pair;

use super::{as_owner, check_visible, required, required_id};
use crate::pg::knowledge::stored_sql::SqlCheck;
use crate::pg::objects::catalog_stamp;
use crate::pg::objects::references::References;
use crate::pg::session::user_name;
use crate::pg::spi;

/// How to find ids.
pub(super) const LIST: &str = "List the examples: SELECT id, question FROM text2sql.examples;";

/// Rows of one INSERT.
const BATCH: usize = 1_000;

/// Maximum number of problems that are reported in full.
const MAX_PROBLEMS: usize = 1_000;

const ADD: &str = "
    INSERT INTO text2sql._examples (question, sql, origin, catalog, object_names, object_oids, column_numbers, taught_by)
    SELECT e.question, e.sql, $2, $3, e.names, e.oids, e.numbers, $4::name
    FROM json_to_recordset($1::json) AS e(question text, sql text, names text[], oids oid[], numbers int2[])
    ON CONFLICT (md5(question), md5(sql)) DO NOTHING
    RETURNING id";
const FIND: &str = "
    SELECT id FROM text2sql._examples WHERE md5(question) = md5($1) AND md5(sql) = md5($2)";
const READ: &str = "
    SELECT json_build_object('question', question, 'sql', sql)::text FROM text2sql._examples WHERE id = $1";
pub(super) const IS_CURATOR: &str =
    "SELECT has_function_privilege('text2sql.verify_example(bigint)', 'EXECUTE')";
const IS_VISIBLE: &str = "SELECT true FROM text2sql._examples WHERE id = $1";
const VERIFY: &str = "
    UPDATE text2sql._examples SET verified_by = $2::name, verified_at = now() WHERE id = $1 RETURNING id";
const UNVERIFY: &str = "
    UPDATE text2sql._examples SET verified_by = NULL, verified_at = NULL WHERE id = $1 RETURNING id";
const DROP: &str = "DELETE FROM text2sql._examples WHERE id = $1 RETURNING id";

/// The result of an import.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// New examples.
    pub(crate) added: i64,
    /// Lines whose example already existed.
    pub(crate) known: i64,
    /// Lines that were skipped.
    pub(crate) refused: i64,
    /// The reasons for the first thousand of them: `line 3: it has no "SQL"`.
    pub(crate) problems: Vec<String>,
}

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
    let added = insert(&[row], origin)?;
    if let [id] = added.as_slice() {
        return Ok(*id);
    }
    let known = spi::read_one(FIND, &[pair.question.into(), pair.sql.into()])?;
    known.ok_or_else(|| {
        Error::new(
            ErrorKind::Denied,
            "the example exists already and reads tables that the role may not read",
        )
    })
}

/// Adds the examples of JSON lines. With `skips`, an invalid line is skipped; without, it ends the call and
/// nothing is stored.
pub(crate) fn import(lines: Option<&str>, skips: bool) -> Result<Imported, Error> {
    let lines = required(lines, "text to import")?;
    let judge = SqlCheck::new()?;
    let mut imported = Imported::default();
    let mut batch: Vec<Value> = Vec::new();
    // Benchmarks repeat their SQL: each statement is judged once.
    let mut judged: HashMap<String, Result<References, String>> = HashMap::new();
    for (number, line) in lines.lines().enumerate() {
        check_for_interrupts!();
        let Some(pair) = Pair::read(line) else {
            continue;
        };
        let verdict = match pair {
            Err(message) => Err(message),
            Ok(pair) => {
                if !judged.contains_key(&pair.sql) {
                    let verdict = match judge.reads(&pair.sql)? {
                        Ok(objects) => {
                            let references = References::to(&objects);
                            check_visible(&references)?;
                            Ok(references)
                        }
                        Err(problem) => Err(problem.message),
                    };
                    judged.insert(pair.sql.clone(), verdict);
                }
                match judged.get(&pair.sql) {
                    Some(Ok(references)) => Ok(row(&pair, references)),
                    Some(Err(message)) => Err(message.clone()),
                    None => Err("it was not checked".to_owned()),
                }
            }
        };
        match verdict {
            Ok(row) => batch.push(row),
            Err(message) if skips => imported.refuse(number + 1, &message),
            Err(message) => {
                return Err(Error::new(
                    ErrorKind::Setting,
                    format!("line {}: {message}", number + 1),
                )
                .with_detail("Nothing was imported.")
                .with_hint("Import the other lines: SELECT * FROM text2sql.import_examples(…, on_error => 'skip');"));
            }
        }
        if batch.len() >= BATCH {
            imported.keep(&mut batch)?;
        }
    }
    imported.keep(&mut batch)?;
    Ok(imported)
}

impl Imported {
    fn refuse(&mut self, line: usize, message: &str) {
        self.refused += 1;
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(format!("line {line}: {message}"));
        }
    }

    fn keep(&mut self, batch: &mut Vec<Value>) -> Result<(), Error> {
        if batch.is_empty() {
            return Ok(());
        }
        let added = insert(batch, "import")?.len();
        self.added += i64::try_from(added).unwrap_or(i64::MAX);
        self.known += i64::try_from(batch.len() - added).unwrap_or(i64::MAX);
        batch.clear();
        Ok(())
    }
}

fn row(pair: &Pair, references: &References) -> Value {
    let oids: Vec<u32> = references.oids.iter().map(|oid| oid.to_u32()).collect();
    json!({
        "question": pair.question,
        "sql": pair.sql,
        "names": references.names,
        "oids": oids,
        "numbers": references.column_numbers,
    })
}

fn insert(rows: &[Value], origin: &str) -> Result<Vec<i64>, Error> {
    let document = Value::from(rows.to_vec()).to_string();
    let arguments = [
        document.into(),
        origin.into(),
        catalog_stamp().into(),
        user_name().into(),
    ];
    let ids = as_owner(|| spi::write(ADD, &arguments, |row| row.read::<i64>(1)))?;
    Ok(ids.into_iter().flatten().collect())
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
    if let Some(problem) = SqlCheck::new()?.problem(&read(id)?.sql)? {
        return Err(problem.into_error(&format!("the SQL of example {id} is no longer valid")));
    }
    change(id, VERIFY, &[id.into(), user_name().into()])
}

/// An error unless the caller may verify examples; `refused` says what it cannot do.
pub(crate) fn require_curator(refused: &str) -> Result<(), Error> {
    if spi::read_one::<bool>(IS_CURATOR, &[])?.unwrap_or(false) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Denied,
        format!("{refused}: the role is no curator"),
    )
    .with_hint(format!(
        "Ask the owner of pg_text2sql to run: SELECT text2sql.grant_curator('{}');",
        user_name().replace('\'', "''")
    )))
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

fn unknown(id: i64) -> Error {
    Error::new(ErrorKind::Undefined, format!("example {id} does not exist")).with_hint(LIST)
}
