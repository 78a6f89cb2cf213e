//! What people teach, written to and read from the tables of `sql/knowledge.sql`.
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
pub(crate) mod intent;
pub(crate) mod joins;
pub(crate) mod knowledge;
pub(crate) mod learned;
pub(crate) mod like_examples;
pub(crate) mod overview;
pub(crate) mod suggestions;

use text2sql_core::error::{Error, ErrorKind};

use crate::pg::objects::{self, Object, ObjectKind};

use crate::pg::objects::references::place_of;
use crate::pg::protection::visible::is_visible;
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
