//! Business terms: their meaning in words and in SQL.
//!
//! An expression is put in parentheses into a SELECT over its table and judged by the guard: when it is
//! defined, whenever definitions are listed, and when a question first uses it. So one that a schema change
//! broke is reported as broken and never used.

use std::collections::HashSet;

use serde::Deserialize;
use text2sql_domain::error::{Error, failure};
use text2sql_knowledge::expression;
use text2sql_language::periods::defined::DefinedPeriod;

use super::annotations::MAX_TEXT_BYTES;
use super::definition_joins::{self, Joined};
use super::{as_owner, check_visible, required, visible_table};
use crate::pg::access::objects::Object;
use crate::pg::access::objects::references::References;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{self, Purpose};
use crate::pg::stored::knowledge::glossary::{self, select};
use crate::pg::stored::knowledge::stored_sql::{Problem, SqlCheck};

const FIND_TABLES: &str = include_str!("../../../../sql/queries/find_expression_tables.sql");
const READ_FOR_JUDGEMENT: &str =
    include_str!("../../../../sql/queries/definitions_for_judgement.sql");

/// Maximum number of tables that are tried where the caller does not name the table of an expression.
const MAX_TRIED: i64 = 20;

/// Maximum number of synonyms of a term, as `sql/schema/knowledge.sql` checks.
const MAX_SYNONYMS: usize = 100;
/// Maximum length of a term.
const MAX_TERM_CHARS: usize = 200;
/// Maximum length of the words of a period, as `sql/schema/knowledge.sql` checks.
const MAX_PERIOD_CHARS: usize = 200;

/// As the owner, because row-level security does not let the index on the terms be used; what the caller sees of them is
/// asked by id.
const OF_TERM: &str = "SELECT id FROM text2sql._definitions WHERE lower(term) = lower($1)";
const FIND: &str = "
    SELECT id FROM text2sql._definitions
    WHERE id = ANY ($1) AND ($2 IS NULL OR applies_to = $2)";
const FIND_SAME: &str = "
    SELECT id FROM text2sql._definitions
    WHERE id = ANY ($1) AND (applies_to IS NOT DISTINCT FROM $2 OR metric IS NOT NULL)";
const DROP: &str = "DELETE FROM text2sql._definitions WHERE id = ANY ($1)";
const TABLES_OF_TERM: &str = "
    SELECT coalesce(json_agg(applies_to ORDER BY applies_to), '[]')::text FROM text2sql._definitions
    WHERE id = ANY ($1)";
const ORIGIN: &str = "
    SELECT origin FROM text2sql._definitions
    WHERE id = ANY ($1) AND applies_to = $2 LIMIT 1";
const IS_KNOWN: &str = "
    SELECT true FROM text2sql._definitions
    WHERE id = ANY ($1) AND applies_to = $2 AND meaning = $3
      AND sql_expression IS NOT DISTINCT FROM $4 AND synonyms = $5 AND origin = $6
      AND $7 = ARRAY(SELECT json_array_elements_text(text2sql._parts_of_definition(id) -> 'joins')) LIMIT 1";
const EQUAL: &str = "
    SELECT min(id) FROM text2sql._definitions
    WHERE id = ANY ($1) AND ($2 IS NULL OR applies_to = $2) AND meaning = $3
      AND sql_expression IS NOT DISTINCT FROM $4 AND synonyms = $5 AND period IS NOT DISTINCT FROM $6 AND metric IS NULL";
const NEWEST: &str = "SELECT max(id) FROM text2sql._definitions WHERE id = ANY ($1)";
const EXISTING: &str = "SELECT id FROM text2sql._definitions WHERE id = ANY ($1)";
const SHORT_MEANINGS: &str = "
    SELECT coalesce(json_agg(json_build_array(term, meaning)), '[]')::text
    FROM text2sql._definitions WHERE length(meaning) <= 200 AND sql_expression IS NULL";
const ADD: &str = "
    INSERT INTO text2sql._definitions (term, meaning, synonyms, sql_expression, expression_kind,
        catalog, object_names, object_oids, column_numbers, origin, taught_by, period, column_places, metric)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::name, $12, $13, $14::jsonb)";

/// A definition by a user.
#[derive(Debug, Default)]
pub(crate) struct Given<'a> {
    pub(crate) term: Option<&'a str>,
    pub(crate) meaning: Option<&'a str>,
    pub(crate) sql_expression: Option<&'a str>,
    pub(crate) applies_to: Option<&'a str>,
    pub(crate) synonyms: Vec<String>,
    /// The days that it stands for, in words.
    pub(crate) period: Option<&'a str>,
    /// The tables that are joined to those rows: paths of tables, or equal columns.
    pub(crate) joins: Vec<String>,
    /// Its origin: `taught`, `dbt`, `suggested` or `import`.
    pub(crate) origin: &'a str,
    /// The definitions that it may replace; `None`: any. With a list, the caller has called [`take_all_turns`].
    pub(crate) only_replaces: Option<&'a HashSet<i64>>,
}

/// What is needed to judge a definition.
#[derive(Debug, Deserialize)]
struct Kept {
    id: i64,
    term: String,
    /// Whether all objects that it refers to still exist.
    is_whole: bool,
}

/// Defines a term, replacing an earlier definition for the same table. Returns the table that was found for it
/// where none was named.
pub(crate) fn define(given: &Given<'_>) -> Result<Option<String>, Error> {
    let term = required(given.term, "term")?;
    let period = period(term, given)?;
    // The period says what it means.
    let meaning = match (given.meaning, period) {
        (None, Some(period)) => period,
        (meaning, _) => required(meaning, "meaning")?,
    };
    let expression = given.sql_expression.map(str::trim);
    check_lengths(term, &[Some(meaning), expression])?;
    let named = match given.applies_to {
        Some(name) => Some(visible_table(Some(name))?),
        None => None,
    };
    let judged = match expression {
        Some(expression) if !given.joins.is_empty() => {
            judge_joined(given, term, expression, named.as_ref())?
        }
        Some(expression) => judge(term, expression, named.as_ref())?,
        None if !given.joins.is_empty() => {
            return Err(failure!(
                Missing,
                "sql_expression must not be null where there are joins"
            ));
        }
        None => Judged {
            objects: named.iter().cloned().collect(),
            ..Judged::default()
        },
    };
    store(&New {
        term,
        meaning,
        synonyms: &given.synonyms,
        expression,
        period,
        metric: None,
        origin: given.origin,
        judged: &judged,
        only_replaces: given.only_replaces,
    })?;
    Ok(judged.found)
}

/// Refuses a term and texts that are too long.
pub(super) fn check_lengths(term: &str, texts: &[Option<&str>]) -> Result<(), Error> {
    if term.chars().count() > MAX_TERM_CHARS {
        return Err(failure!(
            Limit,
            "the term has more than {MAX_TERM_CHARS} characters"
        ));
    }
    for text in texts.iter().flatten() {
        if text.len() > MAX_TEXT_BYTES {
            return Err(failure!(
                Limit,
                "the definition of \"{term}\" has {} bytes, more than {MAX_TEXT_BYTES}",
                text.len()
            )
            .with_hint("Describe the meaning in a few sentences."));
        }
    }
    Ok(())
}

/// A definition that was judged.
pub(super) struct New<'a> {
    pub(super) term: &'a str,
    pub(super) meaning: &'a str,
    pub(super) synonyms: &'a [String],
    pub(super) expression: Option<&'a str>,
    pub(super) period: Option<&'a str>,
    /// How it is made of others, as JSON.
    pub(super) metric: Option<&'a str>,
    pub(super) origin: &'a str,
    pub(super) judged: &'a Judged,
    /// As in [`Given`].
    pub(super) only_replaces: Option<&'a HashSet<i64>>,
}

/// Stores a definition in place of an earlier one of the term for the same table, and of a metric of that term.
pub(super) fn store(new: &New<'_>) -> Result<(), Error> {
    let term = new.term;
    let references = References::to(&new.judged.objects);
    check_visible(&references)?;
    let synonyms = synonyms(term, new.synonyms)?;
    let places = places(&references, &new.judged.columns);
    let applies_to = references.names.first().cloned();
    if new.only_replaces.is_none() {
        take_turns(term);
    }
    let replaced = ids(FIND_SAME, &[of_term(term)?.into(), applies_to.into()])?;
    if let Some(only) = new.only_replaces {
        check_replaced(term, &replaced, only)?;
    }
    let user = user_name();
    as_owner(|| {
        spi::write(DROP, &[replaced.into()], |_| Ok(()))?;
        spi::write(
            ADD,
            &[
                term.into(),
                new.meaning.into(),
                synonyms.into(),
                new.expression.into(),
                new.judged.kind.into(),
                references.catalog.into(),
                references.names.into(),
                references.oids.into(),
                references.column_numbers.into(),
                new.origin.into(),
                user.into(),
                new.period.into(),
                places.into(),
                new.metric.into(),
            ],
            |_| Ok(()),
        )
    })
    .map(drop)
}

/// The positions of columns among the references, counted from 1.
fn places(references: &References, columns: &[Object]) -> Vec<i16> {
    let position = |column: &Object| {
        let name = column.sql_name();
        let found = references.names.iter().position(|known| *known == name);
        found.and_then(|place| i16::try_from(place + 1).ok())
    };
    columns.iter().filter_map(position).collect()
}

/// The period of the definition, if it is one.
fn period<'a>(term: &str, given: &Given<'a>) -> Result<Option<&'a str>, Error> {
    let Some(period) = given.period.map(str::trim) else {
        return Ok(None);
    };
    if given.sql_expression.is_some() || given.applies_to.is_some() {
        return Err(failure!(
            Setting,
            "\"{term}\" cannot be both a period and an expression over a table"
        )
        .with_hint("Give either period => '…' or sql_expression => '…'."));
    }
    if DefinedPeriod::read(period).is_none() {
        let shown: String = period.chars().take(MAX_PERIOD_CHARS).collect();
        return Err(failure!(Setting, "\"{shown}\" is not a period")
        .with_detail("A period is counted from today (last 7 days, this quarter, letzte 8 Wochen), or recurs every year (year starting in April, from 1 October to 31 March), or is fixed (from 2026-04-01 to 2026-09-30).")
        .with_hint(format!(
            "SELECT text2sql.define('{}', period => 'last 7 days');",
            term.replace('\'', "''")
        )));
    }
    if period.chars().count() > MAX_PERIOD_CHARS {
        return Err(failure!(
            Limit,
            "the period has more than {MAX_PERIOD_CHARS} characters"
        ));
    }
    Ok(Some(period))
}

/// The origin of the definition of a term for a table; `None` if there is none.
pub(crate) fn origin_of(term: &str, applies_to: &str) -> Result<Option<String>, Error> {
    spi::read_one(ORIGIN, &[of_term(term)?.into(), applies_to.into()])
}

/// Whether an identical definition of the same origin exists for a table.
pub(crate) fn is_known(given: &Given<'_>, applies_to: &str) -> Result<bool, Error> {
    let known: Option<bool> = spi::read_one(
        IS_KNOWN,
        &[
            of_term(given.term.unwrap_or_default())?.into(),
            applies_to.into(),
            given.meaning.map(str::trim).into(),
            given.sql_expression.map(str::trim).into(),
            synonyms(given.term.unwrap_or_default(), &given.synonyms)?.into(),
            given.origin.into(),
            given.joins.clone().into(),
        ],
    )?;
    Ok(known == Some(true))
}

/// An error where a definition would be replaced that must not be.
fn check_replaced(term: &str, replaced: &[i64], only: &HashSet<i64>) -> Result<(), Error> {
    match replaced.iter().all(|id| only.contains(id)) {
        true => Ok(()),
        false => Err(failure!(
            Setting,
            "\"{term}\" is defined otherwise already; forget('definition', …) removes that"
        )),
    }
}

/// A definition that the caller can see and that says the same about the term, if there is one.
pub(crate) fn equal(given: &Given<'_>) -> Result<Option<i64>, Error> {
    let table = match given.applies_to {
        Some(name) => Some(visible_table(Some(name))?.sql_name()),
        None => None,
    };
    let meaning = given.meaning.or(given.period).map(str::trim);
    let synonyms = synonyms(given.term.unwrap_or_default(), &given.synonyms)?;
    spi::read_one(
        EQUAL,
        &[
            of_term(given.term.unwrap_or_default().trim())?.into(),
            table.into(),
            meaning.into(),
            given.sql_expression.map(str::trim).into(),
            synonyms.into(),
            given.period.map(str::trim).into(),
        ],
    )
}

/// The definition of a term that was stored last, of those that the caller can see.
pub(crate) fn newest(term: &str) -> Result<Option<i64>, Error> {
    spi::read_one(NEWEST, &[of_term(term.trim())?.into()])
}

/// Which of these definitions exist and can be seen by the caller.
pub(crate) fn existing(of: &[i64]) -> Result<HashSet<i64>, Error> {
    Ok(ids(EXISTING, &[of.to_vec().into()])?.into_iter().collect())
}

/// Terms with a short meaning in words.
pub(crate) fn short_meanings() -> Result<Vec<(String, String)>, Error> {
    spi::read_json(SHORT_MEANINGS, &[])
}

/// Removes definitions that the caller can see.
pub(crate) fn drop_all(of: &[i64]) -> Result<(), Error> {
    let seen: Vec<i64> = existing(of)?.into_iter().collect();
    as_owner(|| spi::write(DROP, &[seen.into()], |_| Ok(()))).map(drop)
}

/// Waits until nobody else writes definitions: an import writes many terms, with one lock for all of them.
pub(crate) fn take_all_turns() {
    advisory_locks::take_turns(Purpose::Terms);
}

/// Removes a definition.
pub(crate) fn drop_definition(term: Option<&str>, applies_to: Option<&str>) -> Result<(), Error> {
    let term = required(term, "term")?;
    // A dropped table still has a name.
    let table = applies_to
        .map(|name| visible_table(Some(name)).map_or(name.to_owned(), |table| table.sql_name()));
    take_turns(term);
    let tables: Vec<Option<String>> = spi::read_json(TABLES_OF_TERM, &[of_term(term)?.into()])?;
    if table.is_none() && tables.len() > 1 {
        let tables: Vec<String> = tables.into_iter().flatten().collect();
        return Err(failure!(Setting, "\"{term}\" has several definitions")
            .with_detail(format!("It is defined for {}.", tables.join(", ")))
            .with_hint(format!(
                "Name the table: SELECT text2sql.forget('definition', '{term}', applies_to => '{}');",
                tables.first().map_or("…", String::as_str)
            )));
    }
    let dropped = ids(FIND, &[of_term(term)?.into(), table.into()])?;
    if dropped.is_empty() {
        return Err(failure!(Undefined, "\"{term}\" is not defined").with_hint(
            "List the definitions: SELECT term, applies_to FROM text2sql.definitions;",
        ));
    }
    as_owner(|| spi::write(DROP, &[dropped.into()], |_| Ok(()))).map(drop)
}

/// Ids of the definitions of a term, whoever can see them.
pub(super) fn of_term(term: &str) -> Result<Vec<i64>, Error> {
    as_owner(|| ids(OF_TERM, &[term.into()]))
}

/// Ids of definitions that the caller can see.
fn ids(sql: &'static str, arguments: &[pgrx::datum::DatumWithOid<'_>]) -> Result<Vec<i64>, Error> {
    let ids = spi::read_rows(sql, arguments, 0, |row| row.read::<i64>(1))?;
    Ok(ids.into_iter().flatten().collect())
}

/// Terms of the definitions that the caller can see and that cannot be used, each judged again.
pub(crate) fn broken() -> Result<Vec<String>, Error> {
    let kept: Vec<Kept> = spi::read_json(READ_FOR_JUDGEMENT, &[])?;
    let judge = SqlCheck::new()?;
    let mut broken = Vec::new();
    for definition in kept {
        pgrx::check_for_interrupts!();
        let is_usable =
            definition.is_whole && glossary::problem_of(definition.id, &judge)?.is_none();
        if !is_usable {
            broken.push(definition.term);
        }
    }
    Ok(broken)
}

/// Why a definition cannot be used now; `None` when it can.
pub(crate) fn problem_of(id: i64) -> Result<Option<String>, Error> {
    glossary::problem_of(id, &SqlCheck::new()?)
}

/// What a definition is made of, as JSON.
pub(crate) fn parts_of(id: i64) -> Result<Option<serde_json::Value>, Error> {
    let Some(parts) = glossary::parts_of(id)? else {
        return Ok(None);
    };
    serde_json::to_value(parts)
        .map(Some)
        .map_err(|error| failure!(Internal, "a definition cannot be written").with_source(error))
}

/// Waits until nobody else writes definitions of the term.
fn take_turns(term: &str) {
    advisory_locks::share_turns(Purpose::Terms);
    advisory_locks::take_turns(Purpose::Term(term));
}

fn synonyms(term: &str, given: &[String]) -> Result<Vec<String>, Error> {
    let mut synonyms: Vec<String> = Vec::new();
    for word in given.iter().map(|word| word.trim()) {
        if word.is_empty() || synonyms.iter().any(|known| known == word) {
            continue;
        }
        if synonyms.len() >= MAX_SYNONYMS {
            return Err(failure!(
                Limit,
                "the term \"{term}\" has more than {MAX_SYNONYMS} synonyms"
            ));
        }
        synonyms.push(word.to_owned());
    }
    Ok(synonyms)
}

/// A valid definition.
#[derive(Default)]
pub(super) struct Judged {
    /// Its table first, then the columns of its joins and what else it reads.
    pub(super) objects: Vec<Object>,
    pub(super) kind: Option<&'static str>,
    /// The table, where none was named.
    pub(super) found: Option<String>,
    /// Those of the objects that are columns of its joins, in pairs, or that a metric names.
    pub(super) columns: Vec<Object>,
}

/// Judges an expression over a path of tables.
fn judge_joined(
    given: &Given<'_>,
    term: &str,
    expression: &str,
    named: Option<&Object>,
) -> Result<Judged, Error> {
    let what = format!("the expression of \"{term}\" is not valid");
    check_text(&what, expression)?;
    let judge = SqlCheck::new()?;
    let call = definition_joins::Call {
        term,
        meaning: given.meaning.unwrap_or_default(),
        expression,
        joins: &given.joins,
    };
    let path = definition_joins::resolve(&call, named, &judge)?;
    let sql = select(expression, Some(&path.table_name()), &path.joins);
    let reads = match judge.reads(&sql)? {
        Ok(reads) => reads,
        Err(problem) => return Err(problem.into_error(&what)),
    };
    let kind = kind(&sql, &judge)?;
    if kind == "aggregate" {
        definition_joins::check_counted_once(&call, &path, &sql)?;
    }
    let found = named.is_none().then(|| path.table.sql_name());
    let Joined { table, columns, .. } = path;
    let mut objects = vec![table];
    objects.extend(columns.iter().cloned());
    objects.extend(reads);
    Ok(Judged {
        objects,
        kind: Some(kind),
        found,
        columns,
    })
}

/// Refuses a text that is not one expression.
fn check_text(what: &str, expression: &str) -> Result<(), Error> {
    match expression::objection(expression) {
        None => Ok(()),
        Some(objection) => Err(
            failure!(Setting, "{what}: it {objection}").with_hint(
                "Give one SQL expression over the columns of a table: 'status = ''A''' or 'sum(amount)'",
            ),
        ),
    }
}

fn judge(term: &str, expression: &str, named: Option<&Object>) -> Result<Judged, Error> {
    let what = format!("the expression of \"{term}\" is not valid");
    check_text(&what, expression)?;
    let judge = SqlCheck::new()?;
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
    // A subquery of an expression without a table reads some tables anyway.
    let mut objects: Vec<Object> = table.iter().cloned().collect();
    objects.extend(
        reads
            .into_iter()
            .filter(|object| table.as_ref() != Some(object)),
    );
    Ok(Judged {
        objects,
        kind: Some(match table_name {
            Some(_) => kind(&sql, &judge)?,
            None => kind_of_row(&sql, &judge)?,
        }),
        found,
        columns: Vec::new(),
    })
}

/// The one table over whose columns the expression is valid.
fn find_table(
    term: &str,
    expression: &str,
    judge: &SqlCheck,
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
    let hint = |table: &str| format!("Name the table of the expression: applies_to => '{table}'.");
    match fitting.as_slice() {
        [table] => visible_table(Some(&format!("table {table}"))),
        [] => {
            let problem = Problem {
                hint: problem.hint.or_else(|| Some(hint("shop.orders"))),
                ..problem
            };
            Err(problem.into_error(&format!("the expression of \"{term}\" is not valid")))
        }
        [first, ..] => Err(failure!(
            Setting,
            "the expression of \"{term}\" is valid for several tables"
        )
        .with_detail(format!("It is valid for {}.", fitting.join(", ")))
        .with_hint(hint(first))),
    }
}

/// The statement that shows whether an expression over a table is valid.
fn statement(expression: &str, table_name: Option<&str>) -> String {
    match table_name {
        Some(table) => format!("SELECT ({expression}) FROM {table}"),
        None => format!("SELECT ({expression})"),
    }
}

/// The kind of a valid expression, which `sql` selects from tables: over one row, or over many.
fn kind(sql: &str, judge: &SqlCheck) -> Result<&'static str, Error> {
    if judge
        .problem(&format!("{sql} GROUP BY () LIMIT 0"))?
        .is_none()
    {
        return Ok("aggregate");
    }
    kind_of_row(sql, judge)
}

fn kind_of_row(sql: &str, judge: &SqlCheck) -> Result<&'static str, Error> {
    let first = judge.first_type(&format!("{sql} LIMIT 0"))?;
    Ok(match first.as_deref() {
        Some("boolean") => "condition",
        _ => "value",
    })
}
