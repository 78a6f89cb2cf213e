//! C functions that the tables of stored knowledge and of protection need: the identity of this catalog, and
//! invalidation of the cache of every session.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::access::objects;
use crate::pg::access::objects::references::{self, Place, References};
use crate::pg::access::protection::visible::are_visible;
use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;

extension_sql!(
    r#"
CREATE FUNCTION text2sql._tell_sessions() RETURNS trigger
    LANGUAGE c VOLATILE PARALLEL UNSAFE
    AS 'MODULE_PATHNAME', 'text2sql_tell_sessions';
"#,
    name = "objects",
    requires = [catalog_stamp]
);
entry_point!(of_any_version may_see);
entry_point!(of_any_version objects_now);
entry_point!(of_any_version object_name);
entry_point!(of_any_version tell_sessions);

entry_point!(of_any_version forget_table);

/// Identifies the catalog in which the current OIDs are valid.
#[pg_extern(stable, parallel_safe, name = "_catalog_stamp")]
fn catalog_stamp() -> String {
    objects::catalog_stamp()
}

/// For the event trigger on comments: makes every session reload a table.
fn forget_table(call: &Call) -> Result<Datum, Raised> {
    if let Some(table) = call.oid(0) {
        objects::tell_sessions(table);
    }
    Ok(Datum::from(0_usize))
}

/// A trigger: makes every session reload the table when this transaction commits.
fn tell_sessions(call: &Call) -> Result<Datum, Raised> {
    let Some(table) = call.trigger_table() else {
        return Err(Raised::new(
            "39P01",
            "_tell_sessions is called by triggers only",
        ));
    };
    objects::tell_sessions(table);
    Ok(Datum::from(0_usize))
}

/// Used by the row-level security policies of the extension's tables: whether the current user can see every
/// object of a row.
fn may_see(call: &Call) -> Result<Datum, Raised> {
    let visible = are_visible(&references(call)?);
    Ok(Datum::from(visible))
}

/// Current names and OIDs of the objects of a row.
fn objects_now(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    set.hand_over_rows(references(call)?.places().map(|place| match place {
        Some(place) => [place.oid.into_datum(), place.column_number.into_datum()],
        None => [None, None],
    }))
}

/// The name of the object as SQL writes it.
fn object_name(call: &Call) -> Result<Datum, Raised> {
    let place = call.oid(0).zip(call.small_integer(1));
    let name =
        place.and_then(|(oid, column_number)| references::name_of(Place { oid, column_number }));
    call.text_or_null(name.as_deref())
}

/// The arguments shared by the functions above: catalog, names, OIDs, column numbers.
fn references(call: &Call) -> Result<References, Raised> {
    let missing = || Raised::new("22004", "object references must not be null");
    let references = References {
        catalog: call.text(0)?.ok_or_else(missing)?,
        names: call.array(1)?.ok_or_else(missing)?,
        oids: call.array(2)?.ok_or_else(missing)?,
        column_numbers: call.array(3)?.ok_or_else(missing)?,
    };
    let count = references.names.len();
    if references.oids.len() != count || references.column_numbers.len() != count {
        return Err(Raised::new(
            "2202E",
            "object reference arrays must have the same length",
        ));
    }
    Ok(references)
}
