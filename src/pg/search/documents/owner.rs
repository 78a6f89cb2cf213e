//! The owner of the tables of documents, who alone reads and writes passages.

use text2sql_domain::error::Error;

use crate::pg::server::spi::owner::as_owner_of;

/// Runs a statement over the tables of documents as their owner.
pub(super) fn as_owner<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    as_owner_of(c"_documents", work)
}
