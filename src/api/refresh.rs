//! `CALL text2sql.refresh(options)`: builds or updates the search index.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point};
use crate::pg::error::Raised;
use crate::pg::objects::grants;
use crate::pg::refresh;
use crate::question::options::Accepted;

extension_sql!(
    r#"
CREATE PROCEDURE text2sql.refresh(options jsonb DEFAULT '{}')
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_refresh';
CREATE FUNCTION text2sql._granted_to_public(command pg_ddl_command) RETURNS oid[]
    LANGUAGE c VOLATILE STRICT
    AS 'MODULE_PATHNAME', 'text2sql_granted_to_public';
"#,
    name = "refresh"
);
entry_point!(
    of_any_version text2sql_granted_to_public,
    pg_finfo_text2sql_granted_to_public,
    granted_to_public
);
entry_point!(text2sql_refresh, pg_finfo_text2sql_refresh, call_refresh);

/// Builds what is missing, committing after each batch.
fn call_refresh(call: &Call) -> Result<Datum, Raised> {
    let options = Accepted::only("rebuild").read(call.json(0)?)?;
    if call.is_atomic() {
        return Err(Raised {
            hint: Some(
                "Run CALL text2sql.refresh() outside of transaction blocks and functions.".into(),
            ),
            ..Raised::new("25001", "refresh() cannot run inside a transaction block")
        });
    }
    refresh::refresh(options.is_on)?;
    Ok(Datum::from(0_usize))
}

/// The relations that a GRANT opened to PUBLIC, for the event trigger that records them.
fn granted_to_public(call: &Call) -> Result<Datum, Raised> {
    let relations = grants::granted_to_public(call);
    Ok(relations.into_datum().unwrap_or_else(|| call.null()))
}
