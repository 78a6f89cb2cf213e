//! Questions with the SQL that answers them.
//!
//! The guard judges the SQL when it comes in, so an example names nothing that does not exist and reads
//! nothing that its teacher may not read. It is used when a person has verified it.

use std::collections::HashMap;

use pgrx::check_for_interrupts;
use serde::Deserialize;
use serde_json::{Value, json};
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::teach::pair::Pair;

use super::judged::Judge;
use super::{required, required_id};
use crate::pg::objects::catalog_stamp;
use crate::pg::references::References;
use crate::pg::spi;

const LIST_EXAMPLES: &str = include_str!("../../../sql/queries/list_examples.sql");

/// Where ids are found.
pub(super) const LIST: &str = "SELECT id, question FROM text2sql.list_examples()";

/// Rows of one INSERT.
const BATCH: usize = 1_000;

/// Problems told in full; of more only their number.
const MAX_PROBLEMS: usize = 1_000;

const ADD: &str = "
    INSERT INTO text2sql.examples (question, sql, origin, catalog, object_names, object_oids, column_numbers)
    SELECT e.question, e.sql, $2, $3, e.names, e.oids, e.numbers
    FROM json_to_recordset($1::json) AS e(question text, sql text, names text[], oids oid[], numbers int2[])
    ON CONFLICT (md5(question), md5(sql)) DO NOTHING
    RETURNING id";
const FIND: &str = "
    SELECT id FROM text2sql.examples WHERE md5(question) = md5($1) AND md5(sql) = md5($2)";
const READ: &str = "
    SELECT json_build_object('question', question, 'sql', sql)::text FROM text2sql.examples WHERE id = $1";
const VERIFY: &str = "
    UPDATE text2sql.examples
    SET verified_by = CASE WHEN $2 THEN current_user END, verified_at = CASE WHEN $2 THEN now() END
    WHERE id = $1 RETURNING id";
const DROP: &str = "DELETE FROM text2sql.examples WHERE id = $1 RETURNING id";

/// What came of an import.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// New examples.
    pub(crate) added: i64,
    /// Lines whose example was known before.
    pub(crate) known: i64,
    /// Lines that were left out.
    pub(crate) refused: i64,
    /// Why, the first thousand of them: `line 3: it has no "SQL"`.
    pub(crate) problems: Vec<String>,
}

/// An example with what is known about it.
#[derive(Debug, Deserialize)]
pub(crate) struct Listed {
    pub(crate) id: i32,
    pub(crate) question: String,
    pub(crate) sql: String,
    pub(crate) tables: Vec<String>,
    pub(crate) verified_by: Option<String>,
    pub(crate) intent: Option<String>,
    pub(crate) intent_reason: Option<String>,
    pub(crate) origin: String,
    #[serde(skip)]
    pub(crate) problem: Option<String>,
}

/// Adds one example; gives its id, also when it was known before.
pub(crate) fn add(question: Option<&str>, sql: Option<&str>) -> Result<i32, Error> {
    let (question, sql) = (required(question, "question")?, required(sql, "SQL")?);
    let pair =
        Pair::new(question, sql).map_err(|message| Error::new(ErrorKind::Setting, message))?;
    add_pair(pair, &Judge::new()?, "taught")
}

/// Adds one pair; gives its id, also when it was known before.
pub(crate) fn add_pair(pair: Pair, judge: &Judge, origin: &str) -> Result<i32, Error> {
    let row = match judge.reads(&pair.sql)? {
        Ok(objects) => row(&pair, &References::to(&objects)),
        Err(problem) => return Err(problem.into_error("the SQL is not right")),
    };
    let added = insert(&[row], origin)?;
    if let [id] = added.as_slice() {
        return Ok(*id);
    }
    let known = spi::read_one(FIND, &[pair.question.into(), pair.sql.into()])?;
    known.ok_or_else(|| {
        Error::new(
            ErrorKind::Denied,
            "this example exists and is about tables that you may not read",
        )
    })
}

/// Adds the examples of JSON lines. With `skips`, a line that is not right is left out; without, it ends
/// the call and nothing is kept.
pub(crate) fn import(lines: Option<&str>, skips: bool) -> Result<Imported, Error> {
    let lines = required(lines, "text to import")?;
    let judge = Judge::new()?;
    let mut imported = Imported::default();
    let mut batch: Vec<Value> = Vec::new();
    // Sets repeat their SQL: each is judged once.
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
                        Ok(objects) => Ok(References::to(&objects)),
                        Err(problem) => Err(problem.message),
                    };
                    judged.insert(pair.sql.clone(), verdict);
                }
                match judged.get(&pair.sql) {
                    Some(Ok(references)) => Ok(row(&pair, references)),
                    Some(Err(message)) => Err(message.clone()),
                    None => Err("it was not judged".to_owned()),
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
                .with_detail("nothing was imported")
                .with_hint("to import the other lines: SELECT * FROM text2sql.import_examples(…, on_error => 'skip')"));
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

fn insert(rows: &[Value], origin: &str) -> Result<Vec<i32>, Error> {
    let document = Value::from(rows.to_vec()).to_string();
    let ids = spi::write(
        ADD,
        &[document.into(), origin.into(), catalog_stamp().into()],
        |row| row.read::<i32>(1),
    )?;
    Ok(ids.into_iter().flatten().collect())
}

/// The pair of that id, if the caller may see it.
pub(crate) fn read(id: i32) -> Result<Pair, Error> {
    let text: Option<String> = spi::read_one(READ, &[id.into()])?;
    let pair = text.and_then(|text| Pair::read(&text)?.ok());
    pair.ok_or_else(|| unknown(id))
}

/// Says that an example is right, or takes that back.
pub(crate) fn verify(id: Option<i32>, is_verified: bool) -> Result<(), Error> {
    let id = required_id(id, "example", LIST)?;
    if is_verified && let Some(problem) = Judge::new()?.problem(&read(id)?.sql)? {
        return Err(problem.into_error(&format!("the SQL of example {id} is no longer right")));
    }
    let found = spi::write(VERIFY, &[id.into(), is_verified.into()], |_| Ok(()))?;
    if found.is_empty() {
        Err(unknown(id))
    } else {
        Ok(())
    }
}

/// Takes an example back.
pub(crate) fn drop_example(id: Option<i32>) -> Result<(), Error> {
    let id = required_id(id, "example", LIST)?;
    let found = spi::write(DROP, &[id.into()], |_| Ok(()))?;
    if found.is_empty() {
        Err(unknown(id))
    } else {
        Ok(())
    }
}

/// The examples that the caller may see; with `only_broken`, each is judged anew and those stay whose
/// SQL is no longer right.
pub(crate) fn list(only_broken: bool) -> Result<Vec<Listed>, Error> {
    let mut listed: Vec<Listed> = spi::read_json(LIST_EXAMPLES, &[])?;
    if only_broken {
        let judge = Judge::new()?;
        for example in &mut listed {
            check_for_interrupts!();
            example.problem = judge.problem(&example.sql)?.map(|problem| problem.message);
        }
        listed.retain(|example| example.problem.is_some());
    }
    Ok(listed)
}

fn unknown(id: i32) -> Error {
    Error::new(ErrorKind::Undefined, format!("there is no example {id}")).with_hint(LIST)
}
