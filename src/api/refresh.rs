//! `CALL text2sql.refresh(options, second_embedder)`: builds or updates the search index, or the vectors of a second
//! embedder.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::access::objects::grants;
use crate::pg::search::refresh;
use crate::pg::search::search_index::{VectorSet, embedder};
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::question::options::Accepted;

extension_sql!(
    r#"
CREATE PROCEDURE text2sql.refresh(options jsonb DEFAULT '{}', second_embedder text DEFAULT NULL)
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_refresh';
CREATE FUNCTION text2sql._vectors_of(embedder text) RETURNS text
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_vectors_of';
CREATE FUNCTION text2sql._granted_to_public(command pg_ddl_command) RETURNS oid[]
    LANGUAGE c VOLATILE STRICT
    AS 'MODULE_PATHNAME', 'text2sql_granted_to_public';
"#,
    name = "refresh"
);
entry_point!(of_any_version granted_to_public);
entry_point!(refresh = call_refresh);
entry_point!(vectors_of);

/// Builds what is missing, or makes the vectors of a second embedder, committing after each batch.
fn call_refresh(call: &Call) -> Result<Datum, Raised> {
    let options = Accepted::only("rebuild").read(call.json(0)?)?;
    refuse_in_transaction_block(call, "refresh()")?;
    match call.text(1)? {
        Some(embedder) => refresh::build_vectors(&embedder)?,
        None => refresh::refresh(options.is_on)?,
    }
    Ok(Datum::from(0_usize))
}

fn refuse_in_transaction_block(call: &Call, name: &str) -> Result<(), Raised> {
    if !call.is_atomic() {
        return Ok(());
    }
    let hint = format!("Run CALL text2sql.{name} outside of transaction blocks and functions.");
    Err(Raised {
        hint: Some(hint),
        ..Raised::new(
            "25001",
            format!("{name} cannot run inside a transaction block"),
        )
    })
}

/// Which vectors a session uses whose `text2sql.embedding_model` is that.
fn vectors_of(call: &Call) -> Result<Datum, Raised> {
    let set = embedder::vectors_of(&call.required_text(0, "embedder")?)?;
    call.text_or_null(set.map(|set| match set {
        VectorSet::Index => "index",
        VectorSet::Second => "second",
    }))
}

/// The relations that a GRANT opened to PUBLIC, for the event trigger that records them.
fn granted_to_public(call: &Call) -> Result<Datum, Raised> {
    let relations = grants::granted_to_public(call);
    Ok(relations.into_datum().unwrap_or_else(|| call.null()))
}
