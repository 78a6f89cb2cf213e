//! The target of `ask_into`: a temporary table or a cursor.

use std::ffi::{CStr, CString};

use pgrx::pg_sys;
use text2sql_domain::error::{Error, ErrorKind};
use text2sql_domain::json_rows::unique_names;
use text2sql_domain::object_name;
use text2sql_domain::schema::quote_identifier;

use crate::pg::access::execution::typed_rows::TypedRows;
use crate::pg::access::output::cursor;
use crate::pg::server::error::Raised;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::can_write;

const PARSE_NAME: &str = "SELECT parse_ident($1)";
const TEMPORARY_TABLE: &str = "SELECT to_regclass('pg_temp.' || quote_ident($1)) IS NOT NULL";

/// Prefix of the name of a cursor.
const CURSOR: &str = "cursor:";

/// Name of the captured rows as a relation while the table is created.
const CAPTURED: &CStr = c"text2sql_captured_rows";

const HINT: &str = "Name a table, or a cursor as 'cursor:order_count': CALL text2sql.ask_into('How many orders are there?', 'order_count');";

/// A target.
#[derive(Debug)]
pub(crate) enum Target {
    /// A new temporary table.
    Table(String),
    /// A new cursor.
    Cursor(CString),
}

impl Target {
    /// Reads a target, and checks that it can be created before a model is called.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, Raised> {
        let text = text.map(str::trim).unwrap_or_default();
        let (name, is_cursor) = match text.strip_prefix(CURSOR) {
            Some(name) => (name, true),
            None => (text, false),
        };
        if name.is_empty() {
            return Err(bad("target name must not be empty".to_owned()));
        }
        let parts = parsed(name)?;
        let name = match parts.as_slice() {
            [name] => name,
            [schema, name] if schema == "pg_temp" && !is_cursor => name,
            _ => {
                return Err(bad(format!(
                    "target \"{text}\" is neither a temporary table nor a cursor"
                )));
            }
        };
        let target = match is_cursor {
            true => Self::Cursor(
                CString::new(name.as_str())
                    .map_err(|_| bad("the target contains a NUL byte".to_owned()))?,
            ),
            false => Self::Table(name.clone()),
        };
        target.check_free()?;
        Ok(target)
    }

    fn check_free(&self) -> Result<(), Raised> {
        match self {
            Self::Cursor(name) if cursor::is_open(name) => {
                let name = name.to_string_lossy();
                let hint = format!("CLOSE {}", quote_identifier(&name));
                Err(Raised {
                    hint: Some(hint),
                    ..Raised::new("42P03", format!("cursor \"{name}\" already exists"))
                })
            }
            Self::Cursor(_) => Ok(()),
            Self::Table(_) if !can_write() => Err(Raised {
                hint: Some("Use a cursor instead: target => 'cursor:…'".to_owned()),
                ..Raised::new(
                    "25006",
                    "cannot create a temporary table on a standby or in a read-only transaction",
                )
            }),
            Self::Table(name) => {
                let quoted = quote_identifier(name);
                match spi::read_one::<bool>(TEMPORARY_TABLE, &[name.as_str().into()])? {
                    Some(true) => Err(Raised {
                        hint: Some(format!("DROP TABLE pg_temp.{quoted}")),
                        ..Raised::new(
                            "42P07",
                            format!("temporary table \"{name}\" already exists"),
                        )
                    }),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Writes the rows to the target. A holdable cursor outlives the transaction.
    pub(crate) fn fill(&self, rows: TypedRows, is_held: bool) -> Result<(), Error> {
        match self {
            Self::Cursor(name) => {
                cursor::open(name, rows, is_held);
                Ok(())
            }
            Self::Table(name) => make_table(name, rows),
        }
    }
}

/// The parts of a name as SQL parses it; none of what is no name.
pub(super) fn parsed(name: &str) -> Result<Vec<String>, Error> {
    if !object_name::is_readable(name) {
        return Ok(Vec::new());
    }
    let parts: Option<Vec<Option<String>>> = spi::read_one(PARSE_NAME, &[name.into()])?;
    Ok(parts.unwrap_or_default().into_iter().flatten().collect())
}

fn bad(message: String) -> Raised {
    Raised::from(Error::new(ErrorKind::Setting, message).with_hint(HINT))
}

/// Creates the table from the captured rows, as the caller. The rows are a relation of this statement only; no
/// part of the query is run again.
fn make_table(name: &str, rows: TypedRows) -> Result<(), Error> {
    let columns: Vec<String> = unique_names(&rows.columns)
        .iter()
        .map(|name| quote_identifier(name))
        .collect();
    let list = match columns.is_empty() {
        true => String::new(),
        false => format!(" ({})", columns.join(", ")),
    };
    let sql = format!(
        "CREATE TEMPORARY TABLE {}{list} AS SELECT * FROM {}",
        quote_identifier(name),
        CAPTURED.to_string_lossy()
    );
    let (store, descriptor) = rows.tuples.into_parts();
    // SAFETY: SPI copies nothing of these, and they live as long as the connection that uses them; the
    // caller's memory context frees the store.
    unsafe {
        let mut relation = pg_sys::EphemeralNamedRelationData::default();
        relation.md.name = CAPTURED.as_ptr().cast_mut();
        relation.md.reliddesc = pg_sys::InvalidOid;
        relation.md.tupdesc = descriptor;
        relation.md.enrtype = pg_sys::EphemeralNameRelationType::ENR_NAMED_TUPLESTORE;
        relation.md.enrtuples = pg_sys::tuplestore_tuple_count(store) as f64;
        relation.reldata = store.cast();
        spi::define_with(&sql, Some(&mut relation))
    }
}
