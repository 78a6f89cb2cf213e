//! The business terms that the current user may use, cached for the session.
//!
//! They are read at the first question and again after any relation changed, because that may change who can
//! see them and whether their SQL is valid. An expression is checked by the guard when a question first uses
//! it; an invalid one is not used.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use pgrx::pg_sys;
use serde::Deserialize;
use text2sql_domain::config::Limits;
use text2sql_domain::error::Error;
use text2sql_domain::ports::{Database, Definitions, Outcome};
use text2sql_domain::schema::Definition;
use text2sql_engine::knowledge_formats::glossary::Glossary;
use text2sql_language::terms::Analyzer;

use crate::pg::catalog::catalog_generation;
use crate::pg::execution::database::GuardedDatabase;
use crate::pg::objects::own_tables::may_read;
use crate::pg::settings::{self, Overrides};
use crate::pg::spi;
use crate::pg::spi::role::with_role;

const READ_DEFINITIONS: &str = include_str!("../../../sql/queries/read_definitions.sql");

/// Maximum number of definitions that are considered: reading this many takes tens of milliseconds, once.
const MAX_DEFINITIONS: i64 = 10_000;

/// Maximum number of roles whose terms a session caches.
const MAX_ROLES: usize = 8;

thread_local! {
    /// By role. Never borrowed while a query runs.
    static TERMS: RefCell<HashMap<u32, Rc<Terms>>> = RefCell::new(HashMap::new());
    /// The generation of the catalog in which the terms were read.
    static GENERATION: Cell<u64> = const { Cell::new(0) };
}

/// The terms of one role.
struct Terms {
    glossary: Glossary,
    known: Vec<Known>,
}

struct Known {
    definition: Definition,
    table_name: Option<String>,
    /// Whether the server accepts the expression; `None` when it has not been checked.
    is_accepted: Cell<Option<bool>>,
}

#[derive(Deserialize)]
struct Document {
    term: String,
    meaning: String,
    synonyms: Vec<String>,
    sql_expression: Option<String>,
    applies_to: Option<u32>,
    table_name: Option<String>,
    period: Option<String>,
}

/// Definitions whose terms the question uses and whose SQL is valid; with `similar` also those with a term
/// that the question misspells.
pub(crate) fn definitions_for(
    question: &str,
    similar: bool,
    database: &GuardedDatabase,
) -> Result<Definitions, Error> {
    let terms = with_role(database.role(), terms)?;
    let used = terms.glossary.matches(question);
    let near = match similar {
        true => terms.glossary.similar(question, &used),
        false => Vec::new(),
    };
    Ok(Definitions {
        used: accepted(&terms, &used, database)?,
        similar: accepted(&terms, &near, database)?,
    })
}

/// Those of the glossary entries that the role may use now.
fn accepted(
    terms: &Terms,
    places: &[usize],
    database: &GuardedDatabase,
) -> Result<Vec<Definition>, Error> {
    let mut found = Vec::new();
    for known in places.iter().filter_map(|place| terms.known.get(*place)) {
        if is_accepted(known, database)? {
            found.push(known.definition.clone());
        }
    }
    Ok(found)
}

/// The definitions that say which days a term stands for.
pub(crate) fn period_definitions(database: &GuardedDatabase) -> Result<Vec<Definition>, Error> {
    let terms = with_role(database.role(), terms)?;
    let known = terms.known.iter().map(|known| &known.definition);
    Ok(known
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
    let known = terms.known.iter().map(|known| &known.definition);
    Ok(known
        .filter(|definition| about(definition))
        .cloned()
        .collect())
}

fn is_accepted(known: &Known, database: &GuardedDatabase) -> Result<bool, Error> {
    let Some(expression) = &known.definition.sql_expression else {
        return Ok(true);
    };
    if let Some(is_accepted) = known.is_accepted.get() {
        return Ok(is_accepted);
    }
    let sql = statement(expression, known.table_name.as_deref());
    // The cost matters only when it runs.
    let limits = Limits {
        max_cost: 0.0,
        ..settings::limits(&Overrides::default())
    };
    let is_accepted = matches!(database.check(&sql, &limits)?, Outcome::Passed(_));
    known.is_accepted.set(Some(is_accepted));
    Ok(is_accepted)
}

/// The statement that shows whether an expression over a table is valid.
pub(crate) fn statement(expression: &str, table_name: Option<&str>) -> String {
    match table_name {
        Some(table) => format!("SELECT ({expression}) FROM {table} LIMIT 0"),
        None => format!("SELECT ({expression}) LIMIT 0"),
    }
}

fn terms() -> Result<Rc<Terms>, Error> {
    // Includes grants, knowledge and protection changed by other sessions.
    let generation = catalog_generation();
    if GENERATION.replace(generation) != generation {
        TERMS.with_borrow_mut(HashMap::clear);
    }
    // SAFETY: reads a variable.
    let role = unsafe { pg_sys::GetUserId() }.to_u32();
    if let Some(terms) = TERMS.with_borrow(|terms| terms.get(&role).cloned()) {
        return Ok(terms);
    }
    let documents: Vec<Document> = if may_read(c"_definitions") {
        spi::read_json(READ_DEFINITIONS, &[MAX_DEFINITIONS.into()])?
    } else {
        Vec::new()
    };
    let words = documents.iter().map(|document| {
        std::iter::once(document.term.as_str()).chain(document.synonyms.iter().map(String::as_str))
    });
    let glossary = Glossary::new(words, Analyzer::default());
    let known = documents
        .into_iter()
        .map(|document| Known {
            definition: Definition {
                term: document.term,
                meaning: document.meaning,
                sql_expression: document.sql_expression,
                applies_to: document.applies_to,
                synonyms: document.synonyms,
                period: document.period,
            },
            table_name: document.table_name,
            is_accepted: Cell::new(None),
        })
        .collect();
    let terms = Rc::new(Terms { glossary, known });
    TERMS.with_borrow_mut(|remembered| {
        if remembered.len() >= MAX_ROLES {
            remembered.clear();
        }
        remembered.insert(role, Rc::clone(&terms));
    });
    Ok(terms)
}
