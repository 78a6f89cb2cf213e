//! The table that is made: temporary, unless the name has a schema.

use pgrx::{PgSqlErrorCode, pg_sys};
use text2sql_domain::error::Error;
use text2sql_domain::object_name;
use text2sql_files::{Options, quoted};

use super::refusal::Refused;
use crate::pg::access::objects::{creation_schema, loaded_tables};
use crate::pg::server::error::ErrorReport;
use crate::pg::server::spi;
use crate::pg::server::spi::owner::can_write;

const PARSE_NAME: &str = "SELECT parse_ident($1)";
const SCHEMA_NAME: &str = "SELECT nspname::text FROM pg_namespace WHERE oid = $1";
const OID: &str = "SELECT to_regclass($1)::oid";

/// The longest name, in bytes.
const MAX_NAME: usize = 63;

/// A table to be made.
pub(super) struct Target {
    /// `None` for a temporary table.
    schema: Option<String>,
    name: String,
}

impl Target {
    /// Reads the name of a table.
    pub(super) fn read(name: Option<&str>, options: &Options) -> Result<Self, Refused> {
        let written = name.map(str::trim).unwrap_or_default();
        if written.is_empty() {
            return Err(bad("name must not be empty".to_owned()).into());
        }
        if !object_name::is_readable(written) {
            return Err(bad(format!("\"{written}\" is not a valid name of a table")).into());
        }
        let parts: Option<Vec<Option<String>>> = spi::read_one(PARSE_NAME, &[written.into()])?;
        let mut parts: Vec<String> = parts.unwrap_or_default().into_iter().flatten().collect();
        let (Some(name), schema, None) = (parts.pop(), parts.pop(), parts.pop()) else {
            return Err(bad(format!("\"{written}\" is not a valid name of a table")).into());
        };
        if name.len() > MAX_NAME {
            return Err(bad(format!("\"{name}\" is longer than {MAX_NAME} bytes")).into());
        }
        let schema = match schema {
            Some(schema) if schema == "pg_temp" => None,
            Some(schema) => Some(schema),
            None if options.temporary != Some(false) => None,
            None => Some(schema_of_search_path()?),
        };
        let is_temporary = schema
            .as_deref()
            .is_none_or(|name| name.starts_with("pg_temp"));
        if is_temporary && options.temporary == Some(false) {
            return Err(bad(format!("{written} would be gone with the session")).into());
        }
        Ok(Self { schema, name })
    }

    /// The table for lines that do not fit: beside this one, where the caller has named no other.
    pub(super) fn rejected(&self, options: &Options) -> Result<Self, Refused> {
        if let Some(name) = &options.rejected_table {
            return Self::read(Some(name), options);
        }
        let most = MAX_NAME - "_rejected".len();
        let start = self
            .name
            .get(..self.name.floor_char_boundary(most))
            .unwrap_or_default();
        Ok(Self {
            schema: self.schema.clone(),
            name: format!("{start}_rejected"),
        })
    }

    /// Its qualified name as SQL writes it.
    pub(super) fn sql_name(&self) -> String {
        let schema = match &self.schema {
            Some(schema) => text2sql_domain::schema::quote_identifier(schema),
            None => "pg_temp".into(),
        };
        format!(
            "{schema}.{}",
            text2sql_domain::schema::quote_identifier(&self.name)
        )
    }

    /// The start of the statement that makes it.
    pub(super) fn create(&self) -> &'static str {
        match self.schema {
            Some(_) => "CREATE TABLE",
            None => "CREATE TEMPORARY TABLE",
        }
    }

    /// Refuses what cannot be made, before the file is read.
    pub(super) fn check(&self) -> Result<(), Refused> {
        if !can_write() {
            // SAFETY: reads the state of the server.
            let (message, hint) = match unsafe { pg_sys::RecoveryInProgress() } {
                true => (
                    "cannot create a table on a standby server",
                    "Load the file on the primary server.",
                ),
                false => (
                    "cannot create a table in a read-only transaction",
                    "Load the file outside the read-only transaction, or SET TRANSACTION READ WRITE.",
                ),
            };
            let code = PgSqlErrorCode::ERRCODE_READ_ONLY_SQL_TRANSACTION;
            return Err(ErrorReport::new(code, message, "pg_text2sql")
                .set_hint(hint)
                .into());
        }
        if self.oid()?.is_some() {
            let name = self.sql_name();
            let code = PgSqlErrorCode::ERRCODE_DUPLICATE_TABLE;
            return Err(ErrorReport::new(
                code,
                format!("table {name} already exists"),
                "pg_text2sql",
            )
            .set_hint(format!("Choose another name, or run DROP TABLE {name}"))
            .into());
        }
        Ok(())
    }

    fn oid(&self) -> Result<Option<pg_sys::Oid>, Error> {
        let name = format!(
            "{}.{}",
            quoted(self.schema.as_deref().unwrap_or("pg_temp")),
            quoted(&self.name)
        );
        spi::read_one(OID, &[name.into()])
    }

    /// Lets questions of the session use a temporary table.
    pub(super) fn note(&self) -> Result<(), Refused> {
        if let (None, Some(oid)) = (&self.schema, self.oid()?) {
            loaded_tables::note(oid);
        }
        Ok(())
    }
}

/// The schema in which the caller's search path makes tables.
fn schema_of_search_path() -> Result<String, Refused> {
    let name: Option<String> = spi::read_one(SCHEMA_NAME, &[creation_schema().into()])?;
    name.ok_or_else(|| {
        let code = PgSqlErrorCode::ERRCODE_INVALID_SCHEMA_NAME;
        ErrorReport::new(
            code,
            "no schema has been selected to create in",
            "pg_text2sql",
        )
        .set_hint("Name the schema: SELECT * FROM text2sql.load_file('shop.sales', …)")
        .into()
    })
}

fn bad(message: String) -> ErrorReport {
    ErrorReport::new(PgSqlErrorCode::ERRCODE_INVALID_NAME, message, "pg_text2sql").set_hint(
        "Name a table, with its schema if it is to stay: SELECT * FROM text2sql.load_file('shop.sales', …)",
    )
}
