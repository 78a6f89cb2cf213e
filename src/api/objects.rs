//! What the tables of taught knowledge and of protection need from C: the name of this catalog, and
//! a way to tell every session that they changed.

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point};
use crate::pg::error::Raised;
use crate::pg::objects;

extension_sql!(
    r#"
CREATE FUNCTION text2sql._tell_sessions() RETURNS trigger
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_tell_sessions';
"#,
    name = "objects",
    requires = [catalog_stamp]
);
entry_point!(
    text2sql_tell_sessions,
    pg_finfo_text2sql_tell_sessions,
    tell_sessions
);

/// Names the catalog in which OIDs mean what they mean here.
#[pg_extern(stable, parallel_safe, name = "_catalog_stamp")]
fn catalog_stamp() -> String {
    objects::catalog_stamp()
}

/// A trigger: makes every session read the table again, when and if this transaction commits.
fn tell_sessions(call: &Call) -> Result<Datum, Raised> {
    let Some(table) = call.trigger_table() else {
        return Err(Raised::new(
            "39P01",
            "_tell_sessions is called by triggers only",
        ));
    };
    // SAFETY: sends an invalidation of the relation, which the trigger's statement has open.
    unsafe { pg_sys::CacheInvalidateRelcacheByRelid(table) };
    Ok(Datum::from(0_usize))
}
