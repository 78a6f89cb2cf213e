//! What the triggers of `sql/schema/maintenance_triggers.sql` call.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::search::maintenance::wake;
use crate::pg::search::refresh;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::pg::server::settings;

extension_sql!(
    r#"
CREATE FUNCTION text2sql._index_item(collection text, id bigint) RETURNS boolean
    LANGUAGE c VOLATILE STRICT
    AS 'MODULE_PATHNAME', 'text2sql_index_item';
CREATE FUNCTION text2sql._is_transaction_block() RETURNS boolean
    LANGUAGE c VOLATILE STRICT
    AS 'MODULE_PATHNAME', 'text2sql_is_transaction_block';
CREATE FUNCTION text2sql._wake_maintenance() RETURNS boolean
    LANGUAGE c VOLATILE STRICT
    AS 'MODULE_PATHNAME', 'text2sql_wake_maintenance';
"#,
    name = "maintenance_functions"
);
entry_point!(index_item);
entry_point!(of_any_version wake_maintenance);

entry_point!(of_any_version is_transaction_block);

/// Indexes a definition ('d') or example ('e'), or leaves it to the background worker.
fn index_item(call: &Call) -> Result<Datum, Raised> {
    let collection = call.required_text(0, "collection")?;
    let id = call.bigint(1).unwrap_or_default();
    let is_done = settings::enable_maintenance()
        && match collection.chars().next() {
            Some(collection) => refresh::index_item(collection, id)?,
            None => false,
        };
    if !is_done {
        wake::at_commit();
    }
    Ok(is_done.into_datum().unwrap_or_else(|| call.null()))
}

/// Has the background worker started when the transaction commits.
fn wake_maintenance(call: &Call) -> Result<Datum, Raised> {
    wake::at_commit();
    Ok(true.into_datum().unwrap_or_else(|| call.null()))
}

/// Whether the statement is not a transaction of its own, so that its locks may last.
fn is_transaction_block(call: &Call) -> Result<Datum, Raised> {
    let is_block = refresh::is_transaction_block();
    Ok(is_block.into_datum().unwrap_or_else(|| call.null()))
}
