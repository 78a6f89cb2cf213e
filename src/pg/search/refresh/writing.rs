//! Where and as whom the index is written, and how it is cleared.

use pgrx::pg_sys;
use text2sql_domain::error::{Error, failure};
use text2sql_domain::schema::quote_literal;
use text2sql_domain::words;

use super::vectors::drop_indexes;
use crate::pg::search::documents;
use crate::pg::search::search_index::{VectorSet, owner, second_embedder};
use crate::pg::server::settings;
use crate::pg::server::spi;
use crate::pg::server::spi::role::{EffectiveRole, with_role};

/// Whether the embedder is set for the session and not for the database.
const IS_SET_HERE: &str = "SELECT s.source IN ('session', 'client') AND NOT EXISTS (
         SELECT FROM pg_db_role_setting d
         WHERE d.setrole = 0 AND d.setdatabase IN (0, (SELECT b.oid FROM pg_database b WHERE b.datname = current_database()))
           AND 'text2sql.embedding_model=' || s.setting = ANY (d.setconfig))
     FROM pg_settings s WHERE s.name = 'text2sql.embedding_model'";

/// Removes the vectors of items and words of the second embedder, for an index that is built from nothing.
pub(super) const CLEAR_SECOND_ITEMS: &[&str] = words!(
    "DELETE FROM text2sql._second_documents, DELETE FROM text2sql._second_vectors, \
     DELETE FROM text2sql._second_words"
);
const CLEAR_SECOND_REST: &[&str] = &[
    "DELETE FROM text2sql._second_passage_vectors",
    "DELETE FROM text2sql._second_embedder",
];

/// The owner of the index.
pub(super) fn owner_of_index() -> Result<EffectiveRole, Error> {
    owner().ok_or_else(|| {
        failure!(Setup, "the extension has no search index")
            .with_hint("ALTER EXTENSION pg_text2sql UPDATE")
    })
}

/// An error of `call` where nothing can be written.
pub(super) fn refuse_where_nothing_can_be_written(call: &str) -> Result<(), Error> {
    // SAFETY: both read the server's state.
    let (in_recovery, read_only) = unsafe { (pg_sys::RecoveryInProgress(), pg_sys::XactReadOnly) };
    if in_recovery {
        return Err(failure!(Setup, "{call} cannot run on a standby")
            .with_hint("Call it on the primary; the index is replicated to standbys."));
    }
    if read_only {
        return Err(failure!(Setup, "{call} cannot run in a read-only session")
            .with_hint("SET default_transaction_read_only = off"));
    }
    Ok(())
}

/// An error where the setting names the second embedder in this session alone: `refresh()` would make the vectors of
/// all sessions with what is only tried here.
pub(super) fn refuse_what_is_tried(owner: &EffectiveRole) -> Result<(), Error> {
    let second = with_role(owner, second_embedder)?;
    let set = settings::embedding_model();
    if second.is_none_or(|second| second.model != set)
        || spi::read_one::<bool>(IS_SET_HERE, &[])? != Some(true)
    {
        return Ok(());
    }
    let name = quote_literal(&set);
    Err(failure!(Setup, "text2sql.embedding_model names the second embedder \"{set}\" in this session alone")
    .with_detail("refresh() would make the vectors of the index with it, which all other sessions use.")
    .with_hint(format!("RESET text2sql.embedding_model; or, to have the index made with it: SELECT text2sql.forget('vectors', {name});")))
}

/// Removes the second embedder and its vectors. As the owner, who holds the lock of writers.
pub(super) fn drop_second() -> Result<(), Error> {
    drop_indexes(VectorSet::Second)?;
    documents::drop_index(VectorSet::Second)?;
    run_all(CLEAR_SECOND_ITEMS)?;
    run_all(CLEAR_SECOND_REST)
}

/// Runs statements without arguments. As the owner.
pub(super) fn run_all(statements: &[&'static str]) -> Result<(), Error> {
    for statement in statements {
        spi::execute(statement, &[], |_| Ok(()))?;
    }
    Ok(())
}
