//! What a model proposes about objects that nobody described. It goes into a table for review and is used
//! when a curator applies it.
//!
//! The model sees what the schema part of a question's prompt would show it, at the endpoint's
//! egress, and of the tables asked about alone.

use std::sync::Arc;

use pgrx::check_for_interrupts;
use serde::Deserialize;
use text2sql_core::error::{Error, ErrorKind};
use text2sql_core::object_name;
use text2sql_core::ports::{Catalog, Session};
use text2sql_core::prompt::render_suggest;
use text2sql_core::schema::Table;
use text2sql_core::teach::suggestion::{Suggestion, json_schema, read};

use super::adviser::Adviser;
use super::annotations::{self, Outcome};
use super::definitions::{self, Given};
use super::{visible_object, visible_table};
use crate::pg::catalog::ReaderCatalog;
use crate::pg::database::GuardedDatabase;
use crate::pg::objects::ObjectKind;
use crate::pg::references::References;
use crate::pg::sandbox::keep_no_locks;
use crate::pg::session::PgSession;
use crate::pg::spi;

const TABLES_OF_SCHEMA: &str = include_str!("../../../sql/queries/tables_of_schema.sql");

/// Most tables of one call, and most tables and objects of one request: a reply about more than some
/// hundred objects gets thin towards its end.
const MAX_TABLES: usize = 500;
const TABLES_AT_ONCE: usize = 10;

const KEEP: &str = "
    INSERT INTO text2sql.suggestions (kind, catalog, object_names, object_oids, column_numbers,
        suggestion, term, sql_expression, model)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    RETURNING id";
const REPLACE: &str = "
    DELETE FROM text2sql.suggestions
    WHERE status = 'open' AND object_names = $1 AND term IS NOT DISTINCT FROM $2";
const OPEN: &str = "
    SELECT json_build_object('id', s.id, 'kind', s.kind,
               'object', text2sql._object_name(now.object_oid, now.column_number),
               'suggestion', s.suggestion, 'term', s.term, 'sql_expression', s.sql_expression)::text
    FROM text2sql.suggestions s
    CROSS JOIN LATERAL text2sql._objects_now(s.catalog, s.object_names, s.object_oids, s.column_numbers) AS now
    WHERE s.status = 'open' AND ($1 IS NULL OR s.id = ANY ($1))
    ORDER BY s.id";
const DECIDE: &str = "
    UPDATE text2sql.suggestions
    SET status = $2, decided_by = current_user, decided_at = now()
    WHERE status = 'open' AND ($1 IS NULL OR id = ANY ($1))
    RETURNING id";

/// A suggestion as it waits for review.
#[derive(Debug, Deserialize)]
pub(crate) struct Open {
    pub(crate) id: i32,
    pub(crate) kind: String,
    pub(crate) object: String,
    pub(crate) suggestion: String,
    pub(crate) term: Option<String>,
    pub(crate) sql_expression: Option<String>,
}

/// Asks the model about tables that are named, or that are in schemas that are named. An open suggestion
/// about the same gives way.
pub(crate) fn suggest(names: &[String]) -> Result<Vec<Open>, Error> {
    let adviser = Adviser::new()?;
    let oids = keep_no_locks(|| tables_named(names))?;
    let catalog = ReaderCatalog::new(*GuardedDatabase::new(false)?.reader());
    let mut suggested = Vec::new();
    for some in oids.chunks(TABLES_AT_ONCE) {
        check_for_interrupts!();
        let tables = catalog.describe(some)?;
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
    // Written when all are there: while the model thinks, no lock is held.
    let mut made = Vec::new();
    for suggestion in suggested {
        made.extend(keep(suggestion, adviser.name())?);
    }
    let mut open = open(Some(made.clone()))?;
    open.retain(|suggestion| made.contains(&suggestion.id));
    Ok(open)
}

/// Uses suggestions, all open ones without ids; gives for each what became of it.
pub(crate) fn apply(ids: Option<Vec<i32>>) -> Result<Vec<(Open, String)>, Error> {
    let mut applied = Vec::new();
    let suggestions = open(ids.clone())?;
    check_found(
        ids.as_deref(),
        suggestions.iter().map(|open| open.id).collect(),
    )?;
    for suggestion in suggestions {
        let outcome = match use_it(&suggestion) {
            Ok(Outcome::Overruled) => "overruled: somebody described it meanwhile".to_owned(),
            Ok(Outcome::Taken | Outcome::Known) => "applied".to_owned(),
            Err(error) if super::dbt::is_about_the_lesson(&error) => {
                applied.push((suggestion, format!("refused: {}", error.message())));
                continue;
            }
            Err(error) => return Err(error),
        };
        let status = if outcome == "applied" {
            "applied"
        } else {
            "rejected"
        };
        let id = Some(vec![suggestion.id]);
        spi::write(DECIDE, &[id.into(), status.into()], |_| Ok(()))?;
        applied.push((suggestion, outcome));
    }
    Ok(applied)
}

/// Puts suggestions aside, all open ones without ids; gives how many.
pub(crate) fn reject(ids: Option<Vec<i32>>) -> Result<i64, Error> {
    let rejected = spi::write(DECIDE, &[ids.clone().into(), "rejected".into()], |row| {
        row.read::<i32>(1)
    })?;
    check_found(ids.as_deref(), rejected.iter().copied().flatten().collect())?;
    Ok(i64::try_from(rejected.len()).unwrap_or(i64::MAX))
}

/// An id that names no open suggestion is a slip, and nothing was done then.
fn check_found(asked: Option<&[i32]>, found: Vec<i32>) -> Result<(), Error> {
    let mut asked = asked.unwrap_or_default().iter();
    match asked.find(|id| !found.contains(id)) {
        None => Ok(()),
        Some(id) => Err(Error::new(
            ErrorKind::Undefined,
            format!("there is no open suggestion {id}"),
        )
        .with_hint(
            "SELECT id, object, suggestion FROM text2sql.suggestions WHERE status = 'open'",
        )),
    }
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
        })
        .map(|_| Outcome::Taken),
    }
}

fn open(ids: Option<Vec<i32>>) -> Result<Vec<Open>, Error> {
    let rows = spi::read_rows(OPEN, &[ids.into()], 0, |row| row.read::<String>(1))?;
    rows.into_iter()
        .flatten()
        .map(|text| {
            serde_json::from_str(&text).map_err(|error| {
                Error::new(ErrorKind::Internal, "a suggestion cannot be read").with_source(error)
            })
        })
        .collect()
}

fn keep(suggestion: Suggestion, model: &str) -> Result<Vec<i32>, Error> {
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
    spi::write(
        REPLACE,
        &[references.names.clone().into(), term.clone().into()],
        |_| Ok(()),
    )?;
    let ids = spi::write(
        KEEP,
        &[
            kind.into(),
            references.catalog.into(),
            references.names.into(),
            references.oids.into(),
            references.column_numbers.into(),
            text.into(),
            term.into(),
            sql_expression.into(),
            model.into(),
        ],
        |row| row.read::<i32>(1),
    )?;
    Ok(ids.into_iter().flatten().collect())
}

/// OIDs of the tables that are meant.
fn tables_named(names: &[String]) -> Result<Vec<u32>, Error> {
    let mut oids: Vec<u32> = Vec::new();
    for name in names {
        let object = visible_object(Some(name), "object")?;
        if object.kind == ObjectKind::Schema {
            oids.extend(spi::read_json::<Vec<u32>>(
                TABLES_OF_SCHEMA,
                &[i64::from(object.schema_oid).into()],
            )?);
        } else {
            oids.extend(visible_table(Some(name))?.relation_oid);
        }
    }
    if oids.is_empty() {
        return Err(
            Error::new(ErrorKind::Setting, "there is no table to describe")
                .with_hint("SELECT * FROM text2sql.suggest_descriptions('{shop.orders}') or of a whole schema: '{shop}'"),
        );
    }
    if oids.len() > MAX_TABLES {
        return Err(Error::new(
            ErrorKind::Limit,
            format!("{} tables, more than {MAX_TABLES} at once", oids.len()),
        )
        .with_hint("name tables instead of their schema, the most used ones first"));
    }
    Ok(oids)
}

fn whole_name(table: &Table) -> String {
    object_name::join(&[&table.schema, &table.name])
}

/// Names of the tables and columns about which nobody said anything.
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
