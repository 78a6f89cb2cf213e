//! Terms of the house: what they mean, in words and in SQL.
//!
//! An expression is put between parentheses into a SELECT over its table and judged by the guard:
//! when it is defined, whenever definitions are listed, and when a question first uses it. So one
//! that a change of the schema broke is seen as broken and never used.

use serde::Deserialize;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::teach::expression;

use super::annotations::MAX_TEXT_BYTES;
use super::glossary::statement;
use super::judged::{Judge, Problem};
use super::{required, visible_table};
use crate::pg::objects::Object;
use crate::pg::references::References;
use crate::pg::spi;

const FIND_TABLES: &str = include_str!("../../../sql/queries/find_expression_tables.sql");
const LIST_DEFINITIONS: &str = include_str!("../../../sql/queries/list_definitions.sql");

/// How many tables are tried where nobody says which one an expression is about.
const MAX_TRIED: i64 = 20;

/// Most synonyms of a term, as `sql/schema/knowledge.sql` checks.
const MAX_SYNONYMS: usize = 100;
/// Longest term and expression.
const MAX_TERM_CHARS: usize = 200;

/// Two definitions of one term would make one of them unreachable: writers of a term take turns.
const TAKE_TURNS: &str = "SELECT pg_advisory_xact_lock(hashtextextended(lower($1), 7423))";
const REMOVE: &str = "
    DELETE FROM text2sql.definitions
    WHERE lower(term) = lower($1) AND ($2 IS NULL OR applies_to = $2)
    RETURNING id";
const TABLES_OF_TERM: &str = "
    SELECT coalesce(json_agg(applies_to ORDER BY applies_to), '[]')::text FROM text2sql.definitions
    WHERE lower(term) = lower($1)";
const ORIGIN: &str = "
    SELECT origin FROM text2sql.definitions
    WHERE lower(term) = lower($1) AND applies_to = $2 LIMIT 1";
const IS_KNOWN: &str = "
    SELECT true FROM text2sql.definitions
    WHERE lower(term) = lower($1) AND applies_to = $2 AND meaning = $3
      AND sql_expression IS NOT DISTINCT FROM $4 AND synonyms = $5 AND origin = $6 LIMIT 1";
const REPLACE: &str = "
    DELETE FROM text2sql.definitions
    WHERE lower(term) = lower($1) AND applies_to IS NOT DISTINCT FROM $2";
const ADD: &str = "
    INSERT INTO text2sql.definitions (term, meaning, synonyms, sql_expression, expression_kind,
        catalog, object_names, object_oids, column_numbers, origin)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";

/// What a person says about a term.
#[derive(Debug, Default)]
pub(crate) struct Given<'a> {
    pub(crate) term: Option<&'a str>,
    pub(crate) meaning: Option<&'a str>,
    pub(crate) sql_expression: Option<&'a str>,
    pub(crate) applies_to: Option<&'a str>,
    pub(crate) synonyms: Vec<String>,
    /// Who says so: `taught`, `dbt` or `suggested`.
    pub(crate) origin: &'a str,
}

/// A definition with what is known about it now.
#[derive(Debug, Deserialize)]
pub(crate) struct Listed {
    pub(crate) term: String,
    pub(crate) meaning: String,
    pub(crate) sql_expression: Option<String>,
    pub(crate) applies_to: Option<String>,
    pub(crate) expression_kind: Option<String>,
    pub(crate) synonyms: Vec<String>,
    pub(crate) taught_by: String,
    /// Whether all that it is about is still there.
    is_whole: bool,
    #[serde(skip)]
    pub(crate) problem: Option<String>,
}

/// Defines a term, in place of a former definition for the same table. Gives the table that was
/// found for it where none was named.
pub(crate) fn define(given: &Given<'_>) -> Result<Option<String>, Error> {
    let term = required(given.term, "term")?;
    let meaning = required(given.meaning, "meaning")?;
    if term.chars().count() > MAX_TERM_CHARS {
        return Err(Error::new(
            ErrorKind::Limit,
            format!("the term has more than {MAX_TERM_CHARS} characters"),
        ));
    }
    let expression = given.sql_expression.map(str::trim);
    for text in [Some(meaning), expression].into_iter().flatten() {
        if text.len() > MAX_TEXT_BYTES {
            return Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "the definition of \"{term}\" has {} bytes, more than {MAX_TEXT_BYTES}",
                    text.len()
                ),
            )
            .with_hint("say in a few sentences what it means"));
        }
    }
    let named = match given.applies_to {
        Some(name) => Some(visible_table(Some(name))?),
        None => None,
    };
    let judged = match expression {
        Some(expression) => judge(term, expression, named.as_ref())?,
        None => Judged {
            objects: named.iter().cloned().collect(),
            kind: None,
            found: None,
        },
    };
    let references = References::to(&judged.objects);
    let applies_to = references.names.first().cloned();
    take_turns(term)?;
    spi::write(REPLACE, &[term.into(), applies_to.into()], |_| Ok(()))?;
    spi::write(
        ADD,
        &[
            term.into(),
            meaning.into(),
            synonyms(term, &given.synonyms)?.into(),
            expression.into(),
            judged.kind.into(),
            references.catalog.into(),
            references.names.into(),
            references.oids.into(),
            references.column_numbers.into(),
            given.origin.into(),
        ],
        |_| Ok(()),
    )?;
    Ok(judged.found)
}

/// Who defined a term for a table; `None` when nobody has.
pub(crate) fn origin_of(term: &str, applies_to: &str) -> Result<Option<String>, Error> {
    spi::read_one(ORIGIN, &[term.into(), applies_to.into()])
}

/// Whether just this is defined for a table, by the same origin.
pub(crate) fn is_known(given: &Given<'_>, applies_to: &str) -> Result<bool, Error> {
    let known: Option<bool> = spi::read_one(
        IS_KNOWN,
        &[
            given.term.into(),
            applies_to.into(),
            given.meaning.map(str::trim).into(),
            given.sql_expression.map(str::trim).into(),
            synonyms(given.term.unwrap_or_default(), &given.synonyms)?.into(),
            given.origin.into(),
        ],
    )?;
    Ok(known == Some(true))
}

/// Takes a definition back.
pub(crate) fn drop_definition(term: Option<&str>, applies_to: Option<&str>) -> Result<(), Error> {
    let term = required(term, "term")?;
    // A table that is gone still has a name.
    let table = applies_to
        .map(|name| visible_table(Some(name)).map_or(name.to_owned(), |table| table.sql_name()));
    take_turns(term)?;
    let tables: Vec<Option<String>> = spi::read_json(TABLES_OF_TERM, &[term.into()])?;
    if table.is_none() && tables.len() > 1 {
        let tables: Vec<String> = tables.into_iter().flatten().collect();
        return Err(Error::new(
            ErrorKind::Setting,
            format!("\"{term}\" has several definitions"),
        )
        .with_detail(format!("for {}", tables.join(", ")))
        .with_hint(format!(
            "SELECT text2sql.drop_definition('{term}', applies_to => '{}')",
            tables.first().map_or("…", String::as_str)
        )));
    }
    let dropped = spi::write(REMOVE, &[term.into(), table.into()], |_| Ok(()))?;
    if dropped.is_empty() {
        return Err(
            Error::new(ErrorKind::Undefined, format!("\"{term}\" is not defined"))
                .with_hint("SELECT term, applies_to FROM text2sql.list_definitions()"),
        );
    }
    Ok(())
}

/// All definitions that the caller may see, each judged anew.
pub(crate) fn list() -> Result<Vec<Listed>, Error> {
    let mut listed: Vec<Listed> = spi::read_json(LIST_DEFINITIONS, &[])?;
    let judge = Judge::new()?;
    for definition in &mut listed {
        definition.problem = if !definition.is_whole {
            Some("a table or column that it is about does not exist".to_owned())
        } else if let Some(expression) = &definition.sql_expression {
            let sql = statement(expression, definition.applies_to.as_deref());
            judge.problem(&sql)?.map(|problem| problem.message)
        } else {
            None
        };
    }
    Ok(listed)
}

fn take_turns(term: &str) -> Result<(), Error> {
    spi::write(TAKE_TURNS, &[term.into()], |_| Ok(())).map(drop)
}

fn synonyms(term: &str, given: &[String]) -> Result<Vec<String>, Error> {
    let mut synonyms: Vec<String> = Vec::new();
    for word in given.iter().map(|word| word.trim()) {
        if word.is_empty() || synonyms.iter().any(|known| known == word) {
            continue;
        }
        if synonyms.len() >= MAX_SYNONYMS {
            return Err(Error::new(
                ErrorKind::Limit,
                format!("the term \"{term}\" has more than {MAX_SYNONYMS} synonyms"),
            ));
        }
        synonyms.push(word.to_owned());
    }
    Ok(synonyms)
}

/// An expression that is right.
struct Judged {
    /// Its table first, then what it reads.
    objects: Vec<Object>,
    kind: Option<&'static str>,
    /// The table, where nobody named one.
    found: Option<String>,
}

fn judge(term: &str, expression: &str, named: Option<&Object>) -> Result<Judged, Error> {
    let what = format!("the expression of \"{term}\" is not right");
    if let Some(objection) = expression::objection(expression) {
        return Err(
            Error::new(ErrorKind::Setting, format!("{what}: it {objection}")).with_hint(
                "one SQL expression over the columns of a table: 'status = ''A''' or 'sum(amount)'",
            ),
        );
    }
    let judge = Judge::new()?;
    let (table, found) = match named {
        Some(table) => (Some(table.clone()), None),
        None => match judge.reads(&statement(expression, None))? {
            Ok(_) => (None, None),
            Err(problem) if problem.is_unknown_name => {
                let table = find_table(term, expression, &judge, problem)?;
                let name = table.sql_name();
                (Some(table), Some(name))
            }
            Err(problem) => return Err(problem.into_error(&what)),
        },
    };
    let table_name = table.as_ref().map(Object::sql_name);
    let sql = statement(expression, table_name.as_deref());
    let reads = match judge.reads(&sql)? {
        Ok(reads) => reads,
        Err(problem) => return Err(problem.into_error(&what)),
    };
    // A subquery of an expression that is about no table reads some all the same.
    let mut objects: Vec<Object> = table.iter().cloned().collect();
    objects.extend(
        reads
            .into_iter()
            .filter(|object| table.as_ref() != Some(object)),
    );
    Ok(Judged {
        objects,
        kind: Some(kind(expression, table_name.as_deref(), &judge)?),
        found,
    })
}

/// The one table over whose columns the expression is right.
fn find_table(
    term: &str,
    expression: &str,
    judge: &Judge,
    problem: Problem,
) -> Result<Object, Error> {
    let names = expression::names(expression);
    let candidates: Vec<String> = spi::read_json(FIND_TABLES, &[names.into(), MAX_TRIED.into()])?;
    let mut fitting = Vec::new();
    for name in candidates {
        if judge
            .problem(&statement(expression, Some(&name)))?
            .is_none()
        {
            fitting.push(name);
        }
    }
    let hint = |table: &str| format!("say which table's rows it is about: applies_to => '{table}'");
    match fitting.as_slice() {
        [table] => visible_table(Some(&format!("table {table}"))),
        [] => {
            let problem = Problem {
                hint: problem.hint.or_else(|| Some(hint("shop.orders"))),
                ..problem
            };
            Err(problem.into_error(&format!("the expression of \"{term}\" is not right")))
        }
        [first, ..] => Err(Error::new(
            ErrorKind::Setting,
            format!("the expression of \"{term}\" fits several tables"),
        )
        .with_detail(fitting.join(", "))
        .with_hint(hint(first))),
    }
}

/// What an expression that is right says: of a row, or of rows.
fn kind(expression: &str, table: Option<&str>, judge: &Judge) -> Result<&'static str, Error> {
    if let Some(table) = table {
        let grouped = format!("SELECT ({expression}) FROM {table} GROUP BY () LIMIT 0");
        if judge.problem(&grouped)?.is_none() {
            return Ok("aggregate");
        }
    }
    Ok(
        match judge.first_type(&statement(expression, table))?.as_deref() {
            Some("boolean") => "condition",
            _ => "value",
        },
    )
}
