//! What people teach, written to and read from the tables of `sql/schema/knowledge.sql`.
//!
//! Everything runs as the caller: who may write is a matter of table privileges, and the policies
//! let a curator write only about what the curator may see. It is checked before as well, because a
//! policy's own error names neither the object nor the way out.

pub(crate) mod adviser;
pub(crate) mod annotations;
pub(crate) mod dbt;
pub(crate) mod definitions;
pub(crate) mod examples;
pub(crate) mod feedback;
pub(crate) mod glossary;
pub(crate) mod intent;
pub(crate) mod joins;
pub(crate) mod judged;
pub(crate) mod knowledge;
pub(crate) mod learned;
pub(crate) mod like_examples;
pub(crate) mod overview;
pub(crate) mod suggestions;

use text2sql_core::error::{Error, ErrorKind};

use crate::pg::objects::{self, Object, ObjectKind};
use std::ffi::CStr;

use pgrx::pg_sys;

use crate::pg::references::{is_visible, own_table, place_of};
use crate::pg::session::user_name;
use text2sql_core::schema::quote_identifier;

/// The object that a person names and may see.
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
        (ObjectKind::Schema, _) => format!("GRANT USAGE ON SCHEMA {name} TO {user}"),
        (_, Some(_)) => format!("GRANT SELECT ON {} TO {user}", table_name(&object)),
        _ => format!("GRANT SELECT ON {name} TO {user}"),
    };
    Err(Error::new(
        ErrorKind::Denied,
        format!("permission denied for {word} {name}"),
    )
    .with_detail("teaching is about what one may read oneself")
    .with_hint(grant))
}

/// The column that a person names and may see.
pub(crate) fn visible_column(name: Option<&str>) -> Result<Object, Error> {
    let object = visible_object(name, "column")?;
    match object.kind {
        ObjectKind::Column => Ok(object),
        _ => Err(Error::new(
            ErrorKind::Setting,
            format!("{} is not a column", object.sql_name()),
        )
        .with_hint("write 'shop.orders.status' or 'orders.status'")),
    }
}

/// The table that a person names and may see.
pub(crate) fn visible_table(name: Option<&str>) -> Result<Object, Error> {
    let object = visible_object(name, "table")?;
    match object.kind {
        ObjectKind::Relation => Ok(object),
        _ => Err(Error::new(
            ErrorKind::Setting,
            format!("{} is not a table", object.sql_name()),
        )
        .with_hint("write 'shop.orders' or 'orders'")),
    }
}

/// The whole name of the table that an object is or belongs to, as SQL writes it.
pub(crate) fn table_name(object: &Object) -> String {
    let table = Object {
        column: None,
        ..object.clone()
    };
    table.sql_name()
}

/// An argument that must be there.
pub(crate) fn required<'a>(value: Option<&'a str>, what: &str) -> Result<&'a str, Error> {
    match value.map(str::trim) {
        None => Err(Error::new(
            ErrorKind::Missing,
            format!("the {what} is NULL"),
        )),
        Some("") => Err(Error::new(
            ErrorKind::Setting,
            format!("the {what} is empty"),
        )),
        Some(value) => Ok(value),
    }
}

/// A switch that must be set.
pub(crate) fn decided(value: Option<bool>, what: &str) -> Result<bool, Error> {
    value.ok_or_else(|| {
        Error::new(ErrorKind::Missing, format!("{what} is NULL"))
            .with_hint(format!("{what} => true or {what} => false"))
    })
}

/// An id that must be there.
pub(crate) fn required_id(id: Option<i32>, what: &str, list: &str) -> Result<i32, Error> {
    id.ok_or_else(|| {
        Error::new(ErrorKind::Missing, format!("the id of the {what} is NULL")).with_hint(list)
    })
}

/// Whether an argument that has two values has the second.
pub(crate) fn second_of(
    what: &str,
    value: Option<&str>,
    [first, second]: [&str; 2],
) -> Result<bool, Error> {
    match value {
        Some(value) if value == first || value == second => Ok(value == second),
        value => {
            let (kind, problem) = match value {
                Some(value) => (ErrorKind::Setting, format!("{what} cannot be \"{value}\"")),
                None => (ErrorKind::Missing, format!("{what} is NULL")),
            };
            Err(Error::new(kind, problem)
                .with_hint(format!("{what} => '{first}' or {what} => '{second}'")))
        }
    }
}

/// The elements of an array that are not NULL; of NULL there are none.
pub(crate) fn elements(array: Option<Vec<Option<String>>>) -> Vec<String> {
    array.into_iter().flatten().flatten().collect()
}

/// Whether the current user may read a table of ours.
pub(crate) fn may_read(name: &CStr) -> bool {
    own_table(name).is_some_and(|oid| {
        // SAFETY: privilege checks on a table that was just found, and on its schema.
        unsafe {
            let user = pg_sys::GetUserId();
            let ok = pg_sys::AclResult::ACLCHECK_OK;
            pg_sys::pg_class_aclcheck(oid, user, pg_sys::ACL_SELECT as pg_sys::AclMode) == ok
                && pg_sys::pg_namespace_aclcheck(
                    pg_sys::get_rel_namespace(oid),
                    user,
                    pg_sys::ACL_USAGE as pg_sys::AclMode,
                ) == ok
        }
    })
}
