//! The business terms that the current user may use, cached for the session.
//!
//! They are read at the first question and again after any relation changed, because that may change who can
//! see them and whether their SQL is valid. An expression is checked by the guard when a question first uses
//! it; an invalid one is not used.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use pgrx::pg_sys;
use serde::{Deserialize, Serialize};
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Definitions, Outcome};
use text2sql_domain::schema::{
    Definition, DefinitionJoin, TableName, from_clause, quote_identifier,
};
use text2sql_knowledge::glossary::Glossary;
use text2sql_knowledge::metric::{self, Kind, Stored};
use text2sql_language::terms::Analyzer;

use crate::pg::access::catalog::SessionCache;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::objects::own_tables::may_read;
use crate::pg::server::settings::{self, Overrides};
use crate::pg::server::spi;
use crate::pg::server::spi::role::with_role;
use crate::pg::stored::knowledge::stored_sql::SqlCheck;

const READ_DEFINITIONS: &str = include_str!("../../../../sql/queries/read_definitions.sql");

/// Maximum number of definitions that are considered: reading this many takes tens of milliseconds, once.
const MAX_DEFINITIONS: i64 = 10_000;

/// Maximum number of roles whose terms a session caches.
const MAX_ROLES: usize = 8;

thread_local! {
    /// By role.
    static TERMS: SessionCache<u32, Rc<Terms>> = SessionCache::new(MAX_ROLES);
}

/// Maximum length of a question that is remembered.
const MAX_QUESTION_BYTES: usize = 2_000;

/// Maximum number of questions whose terms a role's glossary remembers: those of a dashboard.
const MAX_QUESTIONS: usize = 32;

/// The terms of one role.
struct Terms {
    glossary: Glossary,
    known: Vec<Known>,
    /// What the last questions use, latest first.
    matched: RefCell<VecDeque<Rc<Matched>>>,
}

/// The places of the definitions that a question uses, and of those with a term that it misspells.
struct Matched {
    question: String,
    used: Vec<usize>,
    similar: OnceCell<Vec<usize>>,
}

impl Terms {
    fn matched(&self, question: &str) -> Rc<Matched> {
        let is_same = |one: &&Rc<Matched>| one.question == question;
        let known = self.matched.borrow().iter().find(is_same).cloned();
        known.unwrap_or_else(|| {
            let made = Rc::new(Matched {
                question: question.to_owned(),
                used: self.glossary.matches(question),
                similar: OnceCell::new(),
            });
            if question.len() <= MAX_QUESTION_BYTES {
                let mut matched = self.matched.borrow_mut();
                matched.push_front(Rc::clone(&made));
                matched.truncate(MAX_QUESTIONS);
            }
            made
        })
    }

    fn similar<'a>(&self, matched: &'a Matched) -> &'a [usize] {
        let similar = || self.glossary.similar(&matched.question, &matched.used);
        matched.similar.get_or_init(similar)
    }
}

struct Known {
    id: i64,
    /// The definition with its joins and what a metric computes, or why it cannot be used.
    definition: Result<Definition, String>,
    table: Option<TableName>,
    columns: Vec<(TableName, String)>,
    /// What is counted once.
    grain: Option<String>,
    /// Whether the server accepts the SQL; `None` when it has not been checked.
    is_accepted: Cell<Option<bool>>,
}

#[derive(Deserialize)]
struct Document {
    id: i64,
    term: String,
    meaning: String,
    synonyms: Vec<String>,
    sql_expression: Option<String>,
    period: Option<String>,
    kind: Option<Kind>,
    metric: Option<serde_json::Value>,
    table: Option<NamedTable>,
    columns: Option<Vec<Option<NamedColumn>>>,
}

#[derive(Deserialize)]
struct NamedTable {
    oid: u32,
    schema: String,
    name: String,
}

#[derive(Deserialize)]
struct NamedColumn {
    #[serde(flatten)]
    table: NamedTable,
    column: String,
}

impl From<NamedTable> for TableName {
    fn from(table: NamedTable) -> Self {
        Self {
            oid: table.oid,
            schema: table.schema,
            name: table.name,
            is_visible: false,
        }
    }
}

/// What a definition is made of, for the view `definitions` and for exports.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Parts {
    /// Its joins as equal columns, which `define` reads.
    joins: Vec<String>,
    /// The columns that a metric names.
    columns: Vec<String>,
    grain: Option<String>,
    sql: Option<String>,
}

/// Definitions whose terms the question uses and whose SQL is valid; with `similar` also those with a term
/// that the question misspells.
pub(crate) fn definitions_for(
    question: &str,
    similar: bool,
    database: &GuardedDatabase,
) -> Result<Definitions, Error> {
    let terms = with_role(database.role(), terms)?;
    let matched = terms.matched(question);
    Ok(Definitions {
        used: accepted(&terms, &matched.used, database)?,
        similar: match similar {
            true => accepted(&terms, terms.similar(&matched), database)?,
            false => Vec::new(),
        },
    })
}

/// The glossary entries that the role may use now.
fn accepted(
    terms: &Terms,
    places: &[usize],
    database: &GuardedDatabase,
) -> Result<Vec<Definition>, Error> {
    let mut found = Vec::new();
    for known in places.iter().filter_map(|place| terms.known.get(*place)) {
        if let Some(definition) = usable(known, database)? {
            found.push(definition.clone());
        }
    }
    Ok(found)
}

/// The definitions that say which days a term stands for.
pub(crate) fn period_definitions(database: &GuardedDatabase) -> Result<Vec<Definition>, Error> {
    let terms = with_role(database.role(), terms)?;
    let known = terms.known.iter();
    Ok(known
        .filter_map(|known| known.definition.as_ref().ok())
        .filter(|definition| definition.period.is_some())
        .cloned()
        .collect())
}

/// Definitions in SQL over these tables, or over none, for explaining a query.
pub(crate) fn definitions_about(
    tables: &[u32],
    database: &GuardedDatabase,
) -> Result<Vec<Definition>, Error> {
    let terms = with_role(database.role(), terms)?;
    let about = |definition: &Definition| {
        definition.sql_expression.is_some()
            && definition
                .applies_to
                .is_some_and(|table| tables.contains(&table))
    };
    let known = terms.known.iter();
    Ok(known
        .filter_map(|known| known.definition.as_ref().ok())
        .filter(|definition| about(definition))
        .cloned()
        .collect())
}

/// The definitions with these ids that the role may use now.
pub(crate) fn definitions_of(
    ids: &[u32],
    database: &GuardedDatabase,
) -> Result<Vec<(u32, Definition)>, Error> {
    let terms = with_role(database.role(), terms)?;
    let mut found = Vec::new();
    for known in &terms.known {
        let Some(id) = u32::try_from(known.id).ok().filter(|id| ids.contains(id)) else {
            continue;
        };
        if let Some(definition) = usable(known, database)? {
            found.push((id, definition.clone()));
        }
    }
    Ok(found)
}

/// What a definition that the current user can see is made of; `None` for an unknown one.
pub(crate) fn parts_of(id: i64) -> Result<Option<Parts>, Error> {
    let terms = terms()?;
    let Some(known) = terms.known.iter().find(|known| known.id == id) else {
        return Ok(None);
    };
    let columns = known.columns.iter();
    let mut parts = Parts {
        columns: columns
            .map(|(table, column)| format!("{}.{}", table.sql_name(), quote_identifier(column)))
            .collect(),
        ..Parts::default()
    };
    if let Ok(definition) = &known.definition {
        parts.joins = definition.joins.iter().map(|join| join.names()).collect();
        parts.grain.clone_from(&known.grain);
        parts.sql = query(definition, known.table.as_ref());
    }
    Ok(Some(parts))
}

/// Why a definition that the current user can see cannot be used now; `None` when it can.
pub(crate) fn problem_of(id: i64, judge: &SqlCheck) -> Result<Option<String>, Error> {
    let terms = terms()?;
    let Some(known) = terms.known.iter().find(|known| known.id == id) else {
        return Ok(Some(format!(
            "only the first {MAX_DEFINITIONS} definitions are used"
        )));
    };
    match &known.definition {
        Err(why) => Ok(Some(why.clone())),
        Ok(definition) => match statement(definition, known.table.as_ref()) {
            Some(sql) => Ok(judge.problem(&sql)?.map(|problem| problem.message)),
            None => Ok(None),
        },
    }
}

/// The definitions that the current user can see, as they are stored.
pub(crate) fn all_stored() -> Result<Vec<Stored>, Error> {
    let documents = documents()?;
    Ok(documents
        .into_iter()
        .map(stored)
        .filter(|(_, problem)| problem.is_none())
        .map(|(stored, _)| stored)
        .collect())
}

/// What a metric computes.
pub(crate) struct Composed {
    /// Whether it is an expression over one table with its joins.
    pub(crate) is_expression: bool,
    /// That table; of a query the first that it reads.
    pub(crate) table: Option<u32>,
    /// The statement that shows whether it is valid.
    pub(crate) check: String,
}

/// What a metric would compute for the current user, or why it cannot be made of its parts. It replaces a metric
/// of the same term.
pub(crate) fn composed_with(new: Stored) -> Result<Result<Composed, String>, Error> {
    let documents = documents()?;
    let term = new.definition.term.to_lowercase();
    let mut all: Vec<Stored> = documents
        .into_iter()
        .filter(|document| document.metric.is_none() || document.term.to_lowercase() != term)
        .map(stored)
        .filter(|(_, problem)| problem.is_none())
        .map(|(stored, _)| stored)
        .collect();
    all.push(new);
    let place = all.len() - 1;
    let composed = match metric::composed(&all, place) {
        Ok(definition) => definition,
        Err(why) => return Ok(Err(why)),
    };
    let table = table_of(&all, &composed);
    let Some(sql) = statement(&composed, table.as_ref()) else {
        return Ok(Err("it computes nothing".to_owned()));
    };
    Ok(Ok(Composed {
        is_expression: composed.query.is_none(),
        table: composed
            .applies_to
            .or_else(|| composed.query.as_ref()?.tables.first().copied()),
        check: sql,
    }))
}

/// The table that a composed definition applies to.
fn table_of(all: &[Stored], definition: &Definition) -> Option<TableName> {
    let oid = definition.applies_to?;
    let tables = all.iter().filter_map(|stored| stored.table.as_ref());
    let columns = all
        .iter()
        .flat_map(|stored| stored.columns.iter().map(|(table, _)| table));
    tables
        .chain(columns)
        .find(|table| table.oid == oid)
        .cloned()
}

fn usable<'a>(
    known: &'a Known,
    database: &GuardedDatabase,
) -> Result<Option<&'a Definition>, Error> {
    let Ok(definition) = &known.definition else {
        return Ok(None);
    };
    let Some(sql) = statement(definition, known.table.as_ref()) else {
        return Ok(Some(definition));
    };
    if let Some(is_accepted) = known.is_accepted.get() {
        return Ok(is_accepted.then_some(definition));
    }
    // The cost matters only when it runs.
    let limits = Limits {
        max_cost: 0.0,
        ..settings::limits(&Overrides::default())
    };
    let is_accepted = matches!(database.check(&sql, &limits)?, Outcome::Passed(_));
    known.is_accepted.set(Some(is_accepted));
    Ok(is_accepted.then_some(definition))
}

/// The query that computes a definition; `None` where it has no SQL.
fn query(definition: &Definition, table: Option<&TableName>) -> Option<String> {
    if let Some(query) = &definition.query {
        return Some(query.sql.clone());
    }
    let expression = definition.sql_expression.as_deref()?;
    Some(select(expression, table, &definition.joins))
}

/// The statement that shows whether the SQL of a definition is valid.
fn statement(definition: &Definition, table: Option<&TableName>) -> Option<String> {
    match &definition.query {
        Some(query) => Some(format!("SELECT * FROM ({}) AS metric LIMIT 0", query.sql)),
        None => query(definition, table).map(|sql| format!("{sql} LIMIT 0")),
    }
}

/// A SELECT of an expression over a table with its joins.
pub(crate) fn select(
    expression: &str,
    table: Option<&TableName>,
    joins: &[DefinitionJoin],
) -> String {
    match table {
        Some(table) => format!(
            "SELECT ({expression}) FROM {}",
            from_clause(&table.sql_name(), joins)
        ),
        None => format!("SELECT ({expression})"),
    }
}

fn documents() -> Result<Vec<Document>, Error> {
    match may_read(c"_definitions") {
        true => spi::read_json(READ_DEFINITIONS, &[MAX_DEFINITIONS.into()]),
        false => Ok(Vec::new()),
    }
}

/// A row as a definition, and why it cannot be used.
fn stored(document: Document) -> (Stored, Option<String>) {
    let table: Option<TableName> = document.table.map(Into::into);
    let mut stored = Stored {
        definition: Definition {
            term: document.term,
            meaning: document.meaning,
            sql_expression: document.sql_expression,
            applies_to: table.as_ref().map(|table| table.oid),
            synonyms: document.synonyms,
            period: document.period,
            ..Definition::default()
        },
        table,
        kind: document.kind,
        ..Stored::default()
    };
    let named = document.columns.unwrap_or_default();
    let columns: Option<Vec<(TableName, String)>> = named
        .into_iter()
        .map(|column| column.map(|column| (column.table.into(), column.column)))
        .collect();
    let Some(columns) = columns else {
        let why = "a table or column that it is about does not exist";
        return (stored, Some(why.to_owned()));
    };
    match document.metric.map(serde_json::from_value).transpose() {
        Ok(metric) => stored.metric = metric,
        Err(error) => return (stored, Some(format!("its metric cannot be read: {error}"))),
    }
    if stored.metric.is_none() {
        stored.definition.joins = joined(&columns);
    }
    stored.columns = columns;
    (stored, None)
}

/// The joins of pairs of equal columns: those to one table are one join.
fn joined(columns: &[(TableName, String)]) -> Vec<DefinitionJoin> {
    let mut joins: Vec<DefinitionJoin> = Vec::new();
    for pair in columns.chunks_exact(2) {
        let [(from, own), (to, other)] = pair else {
            continue;
        };
        let columns = (own.clone(), other.clone());
        match joins.iter_mut().find(|join| join.to.oid == to.oid) {
            Some(join) => join.columns.push(columns),
            None => joins.push(DefinitionJoin {
                from: from.clone(),
                to: to.clone(),
                columns: vec![columns],
            }),
        }
    }
    joins
}

fn terms() -> Result<Rc<Terms>, Error> {
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    SessionCache::get_or_read(&TERMS, role, || {
        let documents = documents()?;
        let words = documents.iter().map(|document| {
            std::iter::once(document.term.as_str())
                .chain(document.synonyms.iter().map(String::as_str))
        });
        let glossary = Glossary::new(words, Analyzer::default());
        Ok(Rc::new(Terms {
            glossary,
            known: known(documents),
            matched: RefCell::default(),
        }))
    })
}

fn known(documents: Vec<Document>) -> Vec<Known> {
    let ids: Vec<i64> = documents.iter().map(|document| document.id).collect();
    let (all, problems): (Vec<Stored>, Vec<Option<String>>) =
        documents.into_iter().map(stored).unzip();
    let composed: Vec<Result<Definition, String>> = problems
        .into_iter()
        .enumerate()
        .map(|(place, problem)| match problem {
            Some(why) => Err(why),
            None => metric::composed(&all, place),
        })
        .collect();
    ids.into_iter()
        .zip(composed)
        .zip(&all)
        .map(|((id, definition), stored)| {
            let table = definition
                .as_ref()
                .ok()
                .and_then(|definition| table_of(&all, definition));
            Known {
                id,
                grain: metric::grain(
                    stored.metric.as_ref(),
                    definition.as_ref().ok(),
                    table.as_ref(),
                ),
                definition,
                table,
                columns: stored.columns.clone(),
                is_accepted: Cell::new(None),
            }
        })
        .collect()
}
