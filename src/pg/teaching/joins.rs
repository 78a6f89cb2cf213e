//! Joins that no foreign key declares: taught, taken from dbt's tests, or learned from statements and
//! then confirmed. Accepted ones are used as foreign keys are, and shown as what they are.

use serde::Deserialize;
use text2sql_core::error::{Error, ErrorKind};

use super::{required_id, visible_column};
use crate::pg::objects::Object;
use crate::pg::references::References;
use crate::pg::spi;

const LIST_JOINS: &str = include_str!("../../../sql/queries/list_joins.sql");

/// A foreign key of PostgreSQL has at most so many columns.
const MAX_COLUMNS: usize = 32;

const TAKE_TURNS: &str = "SELECT pg_advisory_xact_lock(7424)";
const FIND: &str = "SELECT id FROM text2sql.joins WHERE object_names = $1 ORDER BY id";
const STATUS: &str = "SELECT status FROM text2sql.joins WHERE object_names = $1 ORDER BY id";
const ACCEPT: &str = "
    UPDATE text2sql.joins
    SET status = $2, evidence = coalesce($3, evidence), taught_by = current_user, taught_at = now()
    WHERE id = $1 RETURNING id";
const ADD: &str = "
    INSERT INTO text2sql.joins (catalog, object_names, object_oids, column_numbers, origin, evidence, status)
    VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
/// Where ids are found.
const LIST: &str = "SELECT * FROM text2sql.list_joins()";
const DROP: &str = "DELETE FROM text2sql.joins WHERE id = $1 RETURNING id";

/// A join with what is known about it.
#[derive(Debug, Deserialize)]
pub(crate) struct Listed {
    pub(crate) id: i32,
    pub(crate) columns: Vec<String>,
    pub(crate) target_columns: Vec<String>,
    pub(crate) status: String,
    pub(crate) origin: String,
    pub(crate) evidence: Option<String>,
    pub(crate) taught_by: String,
}

/// Adds a join from columns of one table to as many of another, accepted; gives its id, also when it was
/// known before.
pub(crate) fn add(
    columns: &[String],
    targets: &[String],
    evidence: Option<&str>,
    origin: &str,
) -> Result<i32, Error> {
    let from = columns_of_one_table(columns, "columns")?;
    let to = columns_of_one_table(targets, "target columns")?;
    if from.len() != to.len() {
        return Err(Error::new(
            ErrorKind::Setting,
            format!("{} columns cannot join {}", from.len(), to.len()),
        )
        .with_hint(HINT));
    }
    let objects: Vec<Object> = from.into_iter().chain(to).collect();
    let references = References::to(&objects);
    if references.names.len() != objects.len() {
        return Err(Error::new(ErrorKind::Setting, "a column is named twice").with_hint(HINT));
    }
    spi::write(TAKE_TURNS, &[], |_| Ok(()))?;
    let known: Option<i32> = spi::read_one(FIND, &[references.names.clone().into()])?;
    let id = match known {
        Some(id) => spi::write(
            ACCEPT,
            &[id.into(), "accepted".into(), evidence.into()],
            |row| row.read::<i32>(1),
        )?,
        None => spi::write(
            ADD,
            &[
                references.catalog.into(),
                references.names.into(),
                references.oids.into(),
                references.column_numbers.into(),
                origin.into(),
                evidence.into(),
                "accepted".into(),
            ],
            |row| row.read::<i32>(1),
        )?,
    };
    id.into_iter().flatten().next().ok_or_else(|| unknown(0))
}

/// What was decided about a join; `None` when nobody knows it.
pub(crate) fn status(columns: &[String], targets: &[String]) -> Result<Option<String>, Error> {
    let from = columns_of_one_table(columns, "columns")?;
    let to = columns_of_one_table(targets, "target columns")?;
    let references = References::to(&from.into_iter().chain(to).collect::<Vec<_>>());
    spi::read_one(STATUS, &[references.names.into()])
}

/// Puts a join up for review; gives its id, or nothing when it is known already.
pub(crate) fn suggest(
    columns: &[String],
    targets: &[String],
    evidence: &str,
    origin: &str,
) -> Result<Option<i32>, Error> {
    let from = columns_of_one_table(columns, "columns")?;
    let to = columns_of_one_table(targets, "target columns")?;
    let references = References::to(&from.into_iter().chain(to).collect::<Vec<_>>());
    spi::write(TAKE_TURNS, &[], |_| Ok(()))?;
    if spi::read_one::<i32>(FIND, &[references.names.clone().into()])?.is_some() {
        return Ok(None);
    }
    let ids = spi::write(
        ADD,
        &[
            references.catalog.into(),
            references.names.into(),
            references.oids.into(),
            references.column_numbers.into(),
            origin.into(),
            Some(evidence).into(),
            "suggested".into(),
        ],
        |row| row.read::<i32>(1),
    )?;
    Ok(ids.into_iter().flatten().next())
}

/// Accepts or rejects a join that was suggested.
pub(crate) fn decide(id: Option<i32>, is_accepted: bool) -> Result<(), Error> {
    let id = required_id(id, "join", LIST)?;
    let status = if is_accepted { "accepted" } else { "rejected" };
    let found = spi::write(
        ACCEPT,
        &[id.into(), status.into(), None::<String>.into()],
        |_| Ok(()),
    )?;
    if found.is_empty() {
        Err(unknown(id))
    } else {
        Ok(())
    }
}

/// Takes a join back.
pub(crate) fn drop_join(id: Option<i32>) -> Result<(), Error> {
    let id = required_id(id, "join", LIST)?;
    let found = spi::write(DROP, &[id.into()], |_| Ok(()))?;
    if found.is_empty() {
        Err(unknown(id))
    } else {
        Ok(())
    }
}

/// The joins that the caller may see.
pub(crate) fn list() -> Result<Vec<Listed>, Error> {
    spi::read_json(LIST_JOINS, &[])
}

const HINT: &str = "SELECT text2sql.add_join('{shop.orders.customer}', '{shop.customers.id}')";

fn columns_of_one_table(names: &[String], what: &str) -> Result<Vec<Object>, Error> {
    let wrong = |message: String| Error::new(ErrorKind::Setting, message).with_hint(HINT);
    if names.is_empty() || names.len() > MAX_COLUMNS {
        return Err(wrong(format!(
            "a join needs 1 to {MAX_COLUMNS} {what}, not {}",
            names.len()
        )));
    }
    let mut columns: Vec<Object> = Vec::new();
    for name in names {
        let column = visible_column(Some(name))?;
        if let Some(first) = columns.first()
            && first.relation_oid != column.relation_oid
        {
            return Err(wrong(format!("the {what} are of several tables")));
        }
        columns.push(column);
    }
    Ok(columns)
}

fn unknown(id: i32) -> Error {
    Error::new(ErrorKind::Undefined, format!("there is no join {id}")).with_hint(LIST)
}
