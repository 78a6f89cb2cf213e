//! Functions for curators: write and read the tables of `sql/schema/knowledge.sql`.
//!
//! Objects are resolved, SQL is judged and rows are found as the caller, so row-level security decides what a
//! curator can access. The rows are then written as the owner of the tables ([`as_owner`]): curators have no
//! privilege to write them, because that would let them forge the author or verifier of an entry, and lock
//! tables that every question reads.

pub(crate) mod adviser;
pub(crate) mod annotations;
pub(crate) mod dbt;
mod definition_joins;
pub(crate) mod definitions;
pub(crate) mod examples;
pub(crate) mod feedback;
pub(crate) mod imports;
pub(crate) mod instructions;
pub(crate) mod intent;
pub(crate) mod joins;
pub(crate) mod knowledge;
pub(crate) mod metrics;
pub(crate) mod overview;
pub(crate) mod prompts;
pub(crate) mod samples;
pub(crate) mod suggested_joins;
pub(crate) mod suggestions;
pub(crate) mod verification;

use text2sql_domain::error::{Error, ErrorKind, failure};
use text2sql_domain::schema::quote_identifier;

use crate::pg::access::objects::references::{References, place_of};
use crate::pg::access::objects::{self, Object, ObjectKind};
use crate::pg::access::protection::visible::{are_visible, is_visible};
use crate::pg::server::session::user_name;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::as_owner_of;

const TABLES_OF_SCHEMA: &str = include_str!("../../../../sql/queries/tables_of_schema.sql");

/// Runs statements that write knowledge, as the owner of the tables. `work` gets rows by ids that the caller
/// can read, or is about objects that the caller can see.
pub(crate) fn as_owner<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    as_owner_of(c"_annotations", work)
}

/// The error for a kind that a function does not take, or for none.
pub(crate) fn unknown_kind(kind: Option<&str>, kinds: &[&str]) -> Error {
    let (category, problem) = match kind {
        None => (ErrorKind::Missing, "kind must not be null".to_owned()),
        Some(kind) => (ErrorKind::Setting, format!("invalid kind \"{kind}\"")),
    };
    Error::new(category, problem).with_detail(format!("The kinds are {}.", kinds.join(", ")))
}

/// Refuses a new row about objects that the caller cannot see.
pub(crate) fn check_visible(references: &References) -> Result<(), Error> {
    if are_visible(references) {
        return Ok(());
    }
    Err(failure!(
        Denied,
        "permission denied for {}",
        references.names.join(", ")
    )
    .with_detail("Curators can annotate only objects that they can read."))
}

/// The object of that name, if the caller can see it.
pub(crate) fn visible_object(name: Option<&str>, what: &str) -> Result<Object, Error> {
    let name = required(name, what)?;
    let object = objects::resolve(name)?;
    if is_visible(place_of(&object)) {
        return Ok(object);
    }
    let word = match object.kind {
        ObjectKind::Schema => "schema",
        ObjectKind::Relation => "table",
        ObjectKind::Column => "column",
    };
    let name = object.sql_name();
    let user = quote_identifier(&user_name());
    let grant = match (object.kind, &object.column) {
        (ObjectKind::Schema, _) => {
            format!("Ask the owner to run: GRANT USAGE ON SCHEMA {name} TO {user}")
        }
        (_, Some(_)) => format!(
            "Ask the owner to run: GRANT SELECT ON {} TO {user}",
            table_name(&object)
        ),
        _ => format!("Ask the owner to run: GRANT SELECT ON {name} TO {user}"),
    };
    Err(failure!(Denied, "permission denied for {word} {name}")
        .with_detail("Curators can annotate only objects that they can read.")
        .with_hint(grant))
}

/// The column of that name, if the caller can see it.
pub(crate) fn visible_column(name: Option<&str>) -> Result<Object, Error> {
    let object = visible_object(name, "column")?;
    match object.kind {
        ObjectKind::Column => Ok(object),
        _ => Err(failure!(Setting, "{} is not a column", object.sql_name())
            .with_hint("Write 'shop.orders.status' or 'orders.status'.")),
    }
}

/// The table of that name, if the caller can see it.
pub(crate) fn visible_table(name: Option<&str>) -> Result<Object, Error> {
    let object = visible_object(name, "table")?;
    match object.kind {
        ObjectKind::Relation => Ok(object),
        _ => Err(failure!(Setting, "{} is not a table", object.sql_name())
            .with_hint("Write 'shop.orders' or 'orders'.")),
    }
}

/// The qualified name of the table that an object is or belongs to, as written in SQL.
pub(crate) fn table_name(object: &Object) -> String {
    let table = Object {
        column: None,
        ..object.clone()
    };
    table.sql_name()
}

/// An argument that must not be NULL or empty.
pub(crate) fn required<'a>(value: Option<&'a str>, what: &str) -> Result<&'a str, Error> {
    match value.map(str::trim) {
        None => Err(failure!(Missing, "{what} must not be null")),
        Some("") => Err(failure!(Setting, "{what} must not be empty")),
        Some(value) => Ok(value),
    }
}

/// An id that must not be NULL.
pub(crate) fn required_id(id: Option<i64>, what: &str, list: &str) -> Result<i64, Error> {
    id.ok_or_else(|| failure!(Missing, "{what} id must not be null").with_hint(list))
}

/// Whether an argument with two possible values has the second one.
pub(crate) fn second_of(
    what: &str,
    value: Option<&str>,
    [first, second]: [&str; 2],
) -> Result<bool, Error> {
    match value {
        Some(value) if value == first || value == second => Ok(value == second),
        value => {
            let (kind, problem) = match value {
                Some(value) => (ErrorKind::Setting, format!("invalid {what} \"{value}\"")),
                None => (ErrorKind::Missing, format!("{what} must not be null")),
            };
            Err(Error::new(kind, problem)
                .with_hint(format!("Use {what} => '{first}' or {what} => '{second}'.")))
        }
    }
}

/// OIDs of the tables that the names refer to: tables, and schemas for the tables in them that the caller can read.
pub(crate) fn tables_named(names: &[String]) -> Result<Vec<u32>, Error> {
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
    Ok(oids)
}

/// Whether an error concerns a single entry, so that the import can continue.
pub(crate) fn is_about_one_entry(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Setting
            | ErrorKind::Missing
            | ErrorKind::Undefined
            | ErrorKind::Denied
            | ErrorKind::Limit
    )
}
