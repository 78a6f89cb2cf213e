//! Translates gold queries, and keeps those that give the rows of the original.

use std::collections::BTreeSet;
use std::time::Duration;

use postgres::{Client, SimpleQueryMessage};
use rusqlite::Connection;
use text2sql_domain::dialect::Dialect;
use text2sql_metrics::grade::{Candidate, Expected, Gold, grade};
use text2sql_metrics::result_table::{Comparison, ResultTable, Value};
use text2sql_sql::postgresql_form::known_columns::{Leniency, form_over};
use text2sql_sql::postgresql_form::postgresql_form;

use crate::benchmark::{Database, Question, Source};
use crate::failure::Failure;
use crate::load::Loaded;
use crate::options::Options;
use crate::server::{connect, explained};
use crate::sqlite;
use crate::value::Raw;

/// Maximum number of rows of a result that is compared. No question asks for so many.
const MOST_ROWS: usize = 100_000;

/// A question with what became of its gold query.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    pub(crate) question: &'a Question,
    pub(crate) outcome: Outcome,
}

/// What became of a gold query.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is kept.
    Kept {
        gold: Vec<String>,
        /// Whether it gave the rows of the original, where there is one to run.
        is_compared: bool,
        finds_nothing: bool,
    },
    /// It is not part of the suite.
    LeftOut {
        reason: String,
        tried: Option<String>,
    },
}

/// Translates the gold query of each question, and runs it.
pub(crate) fn check<'a>(
    database: &Database,
    name: &str,
    loaded: &Loaded,
    questions: &[&'a Question],
    options: &Options,
) -> Result<Vec<Checked<'a>>, Failure> {
    let mut client = connect(options, Some(name))?;
    let timeout = options.timeout;
    client
        .batch_execute(&format!(
            "SET default_transaction_read_only = on; SET statement_timeout = {}",
            timeout.as_millis()
        ))
        .map_err(|error| explained(&error))?;
    let mut original = match &database.source {
        Source::Sqlite(file) => Some(sqlite::open(file)?),
        Source::Statements(_) | Source::Described(_) => None,
    };
    let mut checked = Vec::new();
    for question in questions {
        let outcome = match (&database.source, &mut original) {
            (Source::Sqlite(_), Some(original)) => {
                compared(original, &mut client, loaded, question, timeout)?
            }
            (Source::Described(_), _) => translated(&mut client, question)?,
            _ => as_published(&mut client, question),
        };
        checked.push(Checked { question, outcome });
    }
    Ok(checked)
}

/// The first translation that gives the rows of the original.
fn compared(
    original: &mut Connection,
    client: &mut Client,
    loaded: &Loaded,
    question: &Question,
    timeout: Duration,
) -> Result<Outcome, Failure> {
    let left_out = |reason: String, tried: Option<String>| Outcome::LeftOut { reason, tried };
    let Some(sql) = question.gold.first() else {
        return Ok(left_out("there is no gold query".to_owned(), None));
    };
    let (names, expected) = match sqlite::run(original, sql, timeout, MOST_ROWS) {
        Ok(found) => found,
        Err(error) => return Ok(left_out(format!("the original {error}"), None)),
    };
    let mut first: Option<(String, String)> = None;
    for leniency in Leniency::ALL {
        let form = match form_over(&loaded.columns, sql, leniency)? {
            Ok(form) => form,
            Err(error) => {
                return Ok(left_out(format!("not read: {}", error.message), None));
            }
        };
        let reason = match rows(client, &form.sql) {
            Ok(found) => {
                let wanted = typed(&names, &expected, &found.types);
                match differences(&form.sql, wanted, &found) {
                    None => {
                        return Ok(Outcome::Kept {
                            gold: vec![form.sql],
                            is_compared: true,
                            finds_nothing: expected.is_empty(),
                        });
                    }
                    Some(reasons) => format!("its rows differ: {reasons}"),
                }
            }
            Err(error) => match form.unknown.first() {
                Some(unknown) => format!("not translated: {unknown}"),
                None => error,
            },
        };
        // The first form is nearest to the original.
        first.get_or_insert((reason, form.sql));
    }
    let (reason, tried) = first.unzip();
    Ok(left_out(reason.unwrap_or_default(), tried))
}

/// The form of a query of MySQL, if it runs: there is no original to compare with.
fn translated(client: &mut Client, question: &Question) -> Result<Outcome, Failure> {
    let Some(sql) = question.gold.first() else {
        return Ok(Outcome::LeftOut {
            reason: "there is no gold query".to_owned(),
            tried: None,
        });
    };
    let form = match postgresql_form(Dialect::MySql, sql)? {
        Ok(form) => form,
        Err(error) => {
            return Ok(Outcome::LeftOut {
                reason: format!("not read: {}", error.message),
                tried: None,
            });
        }
    };
    Ok(match rows(client, &form.sql) {
        Ok(found) => Outcome::Kept {
            gold: vec![form.sql],
            is_compared: false,
            finds_nothing: found.rows.is_empty(),
        },
        Err(error) => Outcome::LeftOut {
            reason: match form.unknown.first() {
                Some(unknown) => format!("not translated: {unknown}"),
                None => error,
            },
            tried: Some(form.sql),
        },
    })
}

/// The published queries that run.
fn as_published(client: &mut Client, question: &Question) -> Outcome {
    let mut gold = Vec::new();
    let mut finds_nothing = true;
    let mut reason = "there is no gold query".to_owned();
    for sql in &question.gold {
        match rows(client, sql) {
            Ok(found) => {
                finds_nothing &= found.rows.is_empty();
                gold.push(sql.clone());
            }
            Err(error) => reason = error,
        }
    }
    match gold.is_empty() {
        true => Outcome::LeftOut {
            reason,
            tried: question.gold.first().cloned(),
        },
        false => Outcome::Kept {
            gold,
            is_compared: true,
            finds_nothing,
        },
    }
}

/// The rows of a query, or why there are none.
fn rows(client: &mut Client, sql: &str) -> Result<ResultTable, String> {
    let words = |error: postgres::Error| format!("does not run: {}", explained(&error));
    let statement = client.prepare(sql).map_err(words)?;
    let columns = statement.columns();
    let types: Vec<String> = columns
        .iter()
        .map(|column| column.type_().name().to_owned())
        .collect();
    let names = columns
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    let mut found = Vec::new();
    for message in client.simple_query(sql).map_err(words)? {
        if let SimpleQueryMessage::Row(row) = message {
            if found.len() == MOST_ROWS {
                return Err(format!("has more than {MOST_ROWS} rows"));
            }
            found.push(
                types
                    .iter()
                    .enumerate()
                    .map(|(place, type_name)| Value::read(row.get(place), type_name))
                    .collect(),
            );
        }
    }
    Ok(ResultTable {
        names,
        types,
        rows: found,
        is_truncated: false,
    })
}

/// The rows of the original, read in the types of the translation: SQLite has none.
fn typed(names: &[String], rows: &[Vec<Raw>], types: &[String]) -> ResultTable {
    let value = |raw: &Raw, type_name: Option<&String>| {
        let type_name = type_name.map_or("text", String::as_str);
        let text = raw.text();
        match (raw, type_name) {
            (Raw::Integer(0), "bool") => Value::read(Some("f"), type_name),
            (Raw::Integer(1), "bool") => Value::read(Some("t"), type_name),
            _ => Value::read(text.as_deref(), type_name),
        }
    };
    ResultTable {
        names: names.to_vec(),
        types: types.to_vec(),
        rows: rows
            .iter()
            .map(|row| {
                row.iter()
                    .enumerate()
                    .map(|(place, raw)| value(raw, types.get(place)))
                    .collect()
            })
            .collect(),
        is_truncated: false,
    }
}

/// Why the rows are not those of the original, in the words of the evaluation; `None` if they are. Columns must stand
/// in the same order: it is the same query.
fn differences(sql: &str, expected: ResultTable, found: &ResultTable) -> Option<String> {
    let comparison = Comparison {
        column_order: true,
        ..Comparison::default()
    };
    let gold = Gold {
        sql: sql.to_owned(),
        rows: expected,
        tables: BTreeSet::new(),
        columns: BTreeSet::new(),
    };
    let grade = grade(
        &Expected {
            question: "",
            status: "ok",
            gold: std::slice::from_ref(&gold),
            ordered: None,
            comparison: &comparison,
            texts: &[],
        },
        &Candidate {
            status: "ok".to_owned(),
            sql: Some(sql.to_owned()),
            rows: Some(found.clone()),
            ..Candidate::default()
        },
    );
    (grade.ex != Some(true)).then(|| grade.reasons.join(", "))
}
