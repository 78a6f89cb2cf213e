//! Joins that no foreign key declares: added by curators, imported from the tests of a dbt project, learned
//! from statements, or inferred by refresh(). Accepted ones are used like foreign keys, and prompts mark them.

use serde::Deserialize;
use text2sql_domain::error::{Error, ErrorKind, failure};

use super::{as_owner, check_visible, required_id, visible_column};
use crate::pg::access::objects::Object;
use crate::pg::access::objects::references::References;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::advisory_locks::{Purpose, take_turns};

const READ_SUGGESTED: &str = include_str!("../../../../sql/queries/suggested_joins.sql");

/// Maximum number of columns of a join: the maximum of a foreign key.
const MAX_COLUMNS: usize = 32;

const FIND: &str = "SELECT id FROM text2sql._joins WHERE object_names = $1 ORDER BY id";
const FIND_TO_SUGGEST: &str = "SELECT id, origin = 'inferred' AND status = 'suggested'
     FROM text2sql._joins WHERE object_names = $1 ORDER BY id";
const ADD_EVIDENCE: &str = "
    UPDATE text2sql._joins
    SET origin = $2, evidence = concat_ws('; ', $3, evidence), taught_by = $4::name, taught_at = now()
    WHERE id = $1 RETURNING id";
const STATUS: &str = "SELECT status FROM text2sql._joins WHERE object_names = $1 ORDER BY id";
const DECIDE: &str = "
    UPDATE text2sql._joins
    SET status = $2, evidence = coalesce($3, evidence), taught_by = $4::name, taught_at = now()
    WHERE id = $1 RETURNING id";
const ADD: &str = "
    INSERT INTO text2sql._joins (catalog, object_names, object_oids, column_numbers, origin, evidence, status, taught_by)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8::name) RETURNING id";
/// How to find ids.
const LIST: &str =
    "List the joins: SELECT id, column_names, target_column_names, status FROM text2sql.joins;";
const IS_VISIBLE: &str = "SELECT true FROM text2sql._joins WHERE id = $1";
const SET_STATUS: &str = "UPDATE text2sql._joins SET status = $2 WHERE id = $1 RETURNING id";
const DROP: &str = "DELETE FROM text2sql._joins WHERE id = $1 RETURNING id";

/// A join that awaits review.
#[derive(Debug, Deserialize)]
pub(crate) struct Suggested {
    pub(crate) id: i64,
    pub(crate) columns: Vec<String>,
    pub(crate) target_columns: Vec<String>,
    pub(crate) evidence: Option<String>,
}

/// Adds a join from columns of one table to as many of another, as accepted; returns its id, also when it
/// already existed.
pub(crate) fn add(
    columns: &[String],
    targets: &[String],
    evidence: Option<&str>,
    origin: &str,
) -> Result<i64, Error> {
    let from = columns_of_one_table(columns, "columns")?;
    let to = columns_of_one_table(targets, "target columns")?;
    if from.len() != to.len() {
        return Err(
            failure!(Setting, "{} columns cannot join {}", from.len(), to.len()).with_hint(HINT),
        );
    }
    let objects: Vec<Object> = from.into_iter().chain(to).collect();
    let references = References::to(&objects);
    if references.names.len() != objects.len() {
        return Err(failure!(Setting, "a column is named twice").with_hint(HINT));
    }
    take_turns(Purpose::Joins);
    let known: Option<i64> = spi::read_one(FIND, &[references.names.clone().into()])?;
    let id = match known {
        Some(id) => change(
            DECIDE,
            &[
                id.into(),
                "accepted".into(),
                evidence.into(),
                user_name().into(),
            ],
        )?,
        None => insert(references, origin, evidence, "accepted")?,
    };
    id.ok_or_else(|| unknown(0))
}

/// The status of a join; `None` when there is no such join.
pub(crate) fn status(columns: &[String], targets: &[String]) -> Result<Option<String>, Error> {
    let from = columns_of_one_table(columns, "columns")?;
    let to = columns_of_one_table(targets, "target columns")?;
    let references = References::to(&from.into_iter().chain(to).collect::<Vec<_>>());
    spi::read_one(STATUS, &[references.names.into()])
}

/// Stores a join for review; returns its id, or nothing when it already exists.
pub(crate) fn suggest(
    columns: &[String],
    targets: &[String],
    evidence: &str,
    origin: &str,
) -> Result<Option<i64>, Error> {
    let from = columns_of_one_table(columns, "columns")?;
    let to = columns_of_one_table(targets, "target columns")?;
    let references = References::to(&from.into_iter().chain(to).collect::<Vec<_>>());
    take_turns(Purpose::Joins);
    let known = spi::read_rows(
        FIND_TO_SUGGEST,
        &[references.names.clone().into()],
        1,
        |row| {
            Ok((
                row.read::<i64>(1)?.unwrap_or_default(),
                row.read::<bool>(2)?.unwrap_or_default(),
            ))
        },
    )?;
    match known.first() {
        Some((id, true)) => {
            let arguments = [
                (*id).into(),
                origin.into(),
                evidence.into(),
                user_name().into(),
            ];
            return change(ADD_EVIDENCE, &arguments);
        }
        Some(_) => return Ok(None),
        None => {}
    }
    insert(references, origin, Some(evidence), "suggested")
}

fn insert(
    references: References,
    origin: &str,
    evidence: Option<&str>,
    status: &str,
) -> Result<Option<i64>, Error> {
    check_visible(&references)?;
    change(
        ADD,
        &[
            references.catalog.into(),
            references.names.into(),
            references.oids.into(),
            references.column_numbers.into(),
            origin.into(),
            evidence.into(),
            status.into(),
            user_name().into(),
        ],
    )
}

/// Writes a join about columns that the caller can see; returns its id.
fn change(
    sql: &'static str,
    arguments: &[pgrx::datum::DatumWithOid<'_>],
) -> Result<Option<i64>, Error> {
    let ids = as_owner(|| spi::write(sql, arguments, |row| row.read::<i64>(1)))?;
    Ok(ids.into_iter().flatten().next())
}

/// The id of a join that the caller can see.
fn visible(id: Option<i64>) -> Result<i64, Error> {
    let id = required_id(id, "join", LIST)?;
    match spi::read_one::<bool>(IS_VISIBLE, &[id.into()])? {
        Some(_) => Ok(id),
        None => Err(unknown(id)),
    }
}

/// Accepts or rejects a suggested join.
pub(crate) fn decide(id: Option<i64>, is_accepted: bool) -> Result<(), Error> {
    let id = visible(id)?;
    let status = if is_accepted { "accepted" } else { "rejected" };
    let arguments = [
        id.into(),
        status.into(),
        None::<String>.into(),
        user_name().into(),
    ];
    change(DECIDE, &arguments)?
        .map(drop)
        .ok_or_else(|| unknown(id))
}

/// Writes the status of a join from an import.
pub(crate) fn set_status(id: i64, status: &str) -> Result<(), Error> {
    let id = visible(Some(id))?;
    change(SET_STATUS, &[id.into(), status.into()]).map(drop)
}

/// Removes a join.
pub(crate) fn drop_join(id: Option<i64>) -> Result<(), Error> {
    let id = visible(id)?;
    change(DROP, &[id.into()])?
        .map(drop)
        .ok_or_else(|| unknown(id))
}

/// The joins among these that the caller can see.
pub(crate) fn suggested(ids: Vec<i64>) -> Result<Vec<Suggested>, Error> {
    spi::read_json(READ_SUGGESTED, &[ids.into()])
}

const HINT: &str = "Name columns of two tables: SELECT text2sql.add_join('{shop.orders.customer}', '{shop.customers.id}');";

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
            return Err(wrong(format!("the {what} belong to several tables")));
        }
        columns.push(column);
    }
    Ok(columns)
}

fn unknown(id: i64) -> Error {
    failure!(Undefined, "join {id} does not exist").with_hint(LIST)
}
