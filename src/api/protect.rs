//! `text2sql.protect(object, level)`, with `_protection(relation, column)` for internal SQL that needs the
//! level and `_is_shown(relation)` for the views of `sql/schema/permissions.sql`. The underlying table is in
//! `sql/schema/protection.sql`.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::access::objects::loaded_tables;
use crate::pg::access::protection;
use crate::pg::access::protection::availability::is_available;
use crate::pg::search::documents;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::{ErrorReport, Raised, report};
use crate::pg::server::settings;
use crate::pg::stored::teaching::samples;
use crate::pg::{Datum, Oid};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.protect(object text, level text) RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_protect';
"#,
    name = "protect"
);
entry_point!(protect);

/// Sets the protection level of a column, a table, a schema or a source of documents.
fn protect(call: &Call) -> Result<Datum, Raised> {
    let object = call.required_text(0, "object")?;
    let level = call.required_text(1, "level")?;
    match object.strip_prefix("source:") {
        Some(source) => documents::protect_source(source.trim(), &level)?,
        None => {
            if level == "sample" {
                samples::check_consent(&object)?;
            }
            protection::change::protect(&object, &level)?;
        }
    }
    Ok(().into_datum().unwrap_or(Datum::from(0_usize)))
}

/// The level of a column: `open`, `private` or `hidden`; a consent to samples is no protection; of the table itself for column 0.
#[pg_extern(stable, parallel_unsafe, name = "_protection")]
fn level_of(relation: Oid, column: i16) -> Result<&'static str, ErrorReport> {
    let level = protection::of_column(relation, column).map_err(report)?;
    Ok(level.as_str())
}

/// Whether a temporary table was loaded from a file by this session.
#[pg_extern(stable, parallel_unsafe, name = "_is_loaded")]
fn is_loaded(relation: Oid) -> bool {
    loaded_tables::is_loaded(relation)
}

/// Whether the relation is visible to questions of this session: in scope, and not hidden.
#[pg_extern(stable, parallel_unsafe, name = "_is_shown")]
fn is_shown(relation: Oid) -> Result<bool, ErrorReport> {
    is_available(relation, settings::allowed_schemas().as_deref()).map_err(report)
}
