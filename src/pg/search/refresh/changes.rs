//! The records of changed objects.

use text2sql_domain::error::Error;

use crate::pg::server::spi;

/// Removes records.
pub(super) const FORGET_CHANGES: &str = "DELETE FROM text2sql._index_changes WHERE id = ANY ($1)";

/// The id of a record.
pub(super) fn read_change(row: &spi::Row) -> Result<i64, Error> {
    Ok(row.read::<i64>(1)?.unwrap_or_default())
}
