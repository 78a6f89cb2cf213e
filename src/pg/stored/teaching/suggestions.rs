//! Suggested descriptions by a model for objects without one. A suggestion is stored for review and used when a
//! curator accepts it.
//!
//! The model sees the same as the schema part of a question's prompt contains at the endpoint's egress, and
//! only for the requested tables.

use std::sync::Arc;

use pgrx::check_for_interrupts;
use serde::Deserialize;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::object_name;
use text2sql_domain::ports::{Catalog, Session};
use text2sql_domain::schema::Table;
use text2sql_knowledge::suggestion::{Suggestion, json_schema, read};
use text2sql_models::prompt::render_suggest;

use super::adviser::Adviser;
use super::annotations::{self, Outcome};
use super::definitions::{self, Given};
use super::{as_owner, required_id, tables_named, visible_object};
use crate::pg::access::catalog::read_as;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::access::objects::references::References;
use crate::pg::server::session::{PgSession, user_name};
use crate::pg::server::spi;
use crate::pg::server::spi::sandbox::keep_no_locks;

/// Maximum number of tables of one call, and of one request: replies about more than some hundred objects lose
/// detail towards the end.
const MAX_TABLES: usize = 500;
const TABLES_AT_ONCE: usize = 10;

const KEEP: &str = "
    INSERT INTO text2sql._suggestions (kind, catalog, object_names, object_oids, column_numbers,
        suggestion, term, sql_expression, model, suggested_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::name)
    RETURNING id";
const FIND_SAME: &str = "
    SELECT id FROM text2sql._suggestions
    WHERE status = 'open' AND object_names = $1 AND term IS NOT DISTINCT FROM $2";
const DROP: &str = "DELETE FROM text2sql._suggestions WHERE id = ANY ($1) AND status = 'open'";
const LIST: &str = "List the open suggestions: SELECT id, object, suggestion FROM text2sql.suggestions WHERE status = 'open';";
const OPEN: &str = "
    SELECT json_build_object('id', s.id, 'kind', s.kind,
               'object', text2sql._object_name(now.object_oid, now.column_number),
               'suggestion', s.suggestion, 'term', s.term, 'sql_expression', s.sql_expression)::text
    FROM text2sql._suggestions s
    CROSS JOIN LATERAL text2sql._resolve_objects(s.catalog, s.object_names, s.object_oids, s.column_numbers) AS now
    WHERE s.status = 'open' AND ($1 IS NULL OR s.id = ANY ($1))
    ORDER BY s.id";
const DECIDE: &str = "
    UPDATE text2sql._suggestions
    SET status = $2, decided_by = $3::name, decided_at = now()
    WHERE status = 'open' AND id = ANY ($1)
    RETURNING id";

/// A suggestion that awaits review.
#[derive(Debug, Deserialize)]
pub(crate) struct Open {
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) object: String,
    pub(crate) suggestion: String,
    pub(crate) term: Option<String>,
    pub(crate) sql_expression: Option<String>,
}

/// Asks the model about the named tables, or the tables of the named schemas. New suggestions replace open ones
/// about the same object.
pub(crate) fn suggest(names: &[String]) -> Result<Vec<Open>, Error> {
    let adviser = Adviser::new()?;
    let oids = keep_no_locks(|| tables_to_describe(names))?;
    let database = GuardedDatabase::new()?;
    let mut suggested = Vec::new();
    for some in oids.chunks(TABLES_AT_ONCE) {
        check_for_interrupts!();
        let tables = read_as(database.role(), |catalog| catalog.describe(some))?;
        let names: Vec<String> = tables.iter().map(|table| whole_name(table)).collect();
        let objects = without_description(&tables);
        if objects.is_empty() {
            continue;
        }
        let version = PgSession::new().server_version();
        let (egress, budget) = (adviser.egress(), adviser.budget());
        let prompt = render_suggest(&tables, &objects, egress, budget, &version);
        let subject = format!("describe {}", names.join(", "));
        let reply = adviser.ask(&subject, prompt, json_schema())?;
        suggested.extend(read(&reply, &objects, &names)?);
    }
    // Written when all are done, so that no lock is held during a model call.
    let mut made = Vec::new();
    for suggestion in suggested {
        made.extend(keep(suggestion, adviser.name())?);
    }
    let mut open = open(Some(made.clone()))?;
    open.retain(|suggestion| made.contains(&suggestion.id));
    Ok(open)
}

/// Accepts an open suggestion; returns what became of it.
pub(crate) fn accept(id: Option<i64>) -> Result<String, Error> {
    let suggestion = found(id)?;
    let (outcome, status) = match use_it(&suggestion) {
        Ok(Outcome::Overruled) => (
            "overruled: it has been described in the meantime".to_owned(),
            "rejected",
        ),
        Ok(Outcome::Taken | Outcome::Known) => ("accepted".to_owned(), "accepted"),
        Err(error) if super::is_about_one_entry(&error) => {
            return Ok(format!("refused: {}", error.message()));
        }
        Err(error) => return Err(error),
    };
    decide(suggestion.id, status)?;
    Ok(outcome)
}

/// Rejects an open suggestion.
pub(crate) fn reject(id: Option<i64>) -> Result<(), Error> {
    decide(found(id)?.id, "rejected")
}

/// The open suggestion of that id, if the caller can see it.
fn found(id: Option<i64>) -> Result<Open, Error> {
    let id = required_id(id, "suggestion", LIST)?;
    let mut found = open(Some(vec![id]))?;
    found.pop().ok_or_else(|| {
        let problem = format!("open suggestion {id} does not exist");
        failure!(Undefined, "{problem}").with_hint(LIST)
    })
}

/// Writes the caller's decision about an open suggestion that the caller can see.
fn decide(id: i64, status: &str) -> Result<(), Error> {
    let arguments = [vec![id].into(), status.into(), user_name().into()];
    as_owner(|| spi::write(DECIDE, &arguments, |_| Ok(()))).map(drop)
}

/// Ids of suggestions that the caller can see.
fn read_ids(
    sql: &'static str,
    arguments: &[pgrx::datum::DatumWithOid<'_>],
) -> Result<Vec<i64>, Error> {
    let ids = spi::read_rows(sql, arguments, 0, |row| row.read::<i64>(1))?;
    Ok(ids.into_iter().flatten().collect())
}

fn use_it(suggestion: &Open) -> Result<Outcome, Error> {
    match &suggestion.term {
        None => annotations::describe_from("suggested", &suggestion.object, &suggestion.suggestion),
        Some(term) => definitions::define(&Given {
            term: Some(term),
            meaning: Some(&suggestion.suggestion),
            sql_expression: suggestion.sql_expression.as_deref(),
            applies_to: Some(&suggestion.object),
            synonyms: Vec::new(),
            origin: "suggested",
            ..Given::default()
        })
        .map(|_| Outcome::Taken),
    }
}

fn open(ids: Option<Vec<i64>>) -> Result<Vec<Open>, Error> {
    let rows = spi::read_rows(OPEN, &[ids.into()], 0, |row| row.read::<String>(1))?;
    rows.into_iter()
        .flatten()
        .map(|text| {
            serde_json::from_str(&text).map_err(|error| {
                failure!(Internal, "could not read stored suggestion").with_source(error)
            })
        })
        .collect()
}

fn keep(suggestion: Suggestion, model: &str) -> Result<Vec<i64>, Error> {
    let (kind, object, text, term, sql_expression) = match suggestion {
        Suggestion::Description {
            object,
            description,
        } => ("description", object, description, None, None),
        Suggestion::Definition {
            term,
            meaning,
            table,
            sql_expression,
        } => ("definition", table, meaning, Some(term), sql_expression),
    };
    let object = visible_object(Some(&object), "object")?;
    let references = References::to(&[object]);
    let replaced = read_ids(
        FIND_SAME,
        &[references.names.clone().into(), term.clone().into()],
    )?;
    let arguments = [
        kind.into(),
        references.catalog.into(),
        references.names.into(),
        references.oids.into(),
        references.column_numbers.into(),
        text.into(),
        term.into(),
        sql_expression.into(),
        model.into(),
        user_name().into(),
    ];
    let ids = as_owner(|| {
        spi::write(DROP, &[replaced.into()], |_| Ok(()))?;
        spi::write(KEEP, &arguments, |row| row.read::<i64>(1))
    })?;
    Ok(ids.into_iter().flatten().collect())
}

/// OIDs of the tables that the names refer to: some, but not too many.
fn tables_to_describe(names: &[String]) -> Result<Vec<u32>, Error> {
    let oids = tables_named(names)?;
    if oids.is_empty() {
        return Err(
            failure!(Setting, "no tables to describe")
                .with_hint("Name tables, or a schema for all of its tables: SELECT * FROM text2sql.suggest('descriptions', '{shop.orders}');"),
        );
    }
    if oids.len() > MAX_TABLES {
        return Err(failure!(
            Limit,
            "cannot describe {} tables at once; the maximum is {MAX_TABLES}",
            oids.len()
        )
        .with_hint("Name tables instead of their schema, the most frequently used ones first."));
    }
    Ok(oids)
}

fn whole_name(table: &Table) -> String {
    object_name::join(&[&table.schema, &table.name])
}

/// Names of the tables and columns without a description.
fn without_description(tables: &[Arc<Table>]) -> Vec<String> {
    let mut objects = Vec::new();
    for table in tables {
        if table.comment.is_none() {
            objects.push(whole_name(table));
        }
        let columns = table
            .columns
            .iter()
            .filter(|column| column.comment.is_none() && column.value_meanings.is_empty());
        objects.extend(
            columns.map(|column| object_name::join(&[&table.schema, &table.name, &column.name])),
        );
    }
    objects
}
