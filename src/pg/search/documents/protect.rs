//! Protects sources of documents: `protect('source:handbook', 'private')`.

use text2sql_domain::error::{Error, failure};

use super::owner::as_owner;
use crate::pg::access::protection::Level;
use crate::pg::server::session::user_name;
use crate::pg::server::spi;

const ADMINISTRATOR: &str =
    "SELECT pg_has_role(d.datdba, 'USAGE') FROM pg_database d WHERE d.datname = current_database()";
const OWNS_ALL: &str = "SELECT count(*) > 0 AND bool_and(r.oid IS NOT NULL AND pg_has_role($2, r.oid, 'USAGE'))
     FROM text2sql._documents d
     LEFT JOIN pg_roles r ON CASE WHEN d.catalog = text2sql._catalog_stamp() THEN r.oid = d.role_oids[1] ELSE r.rolname = d.role_names[1] END
     WHERE d.source = $1";
const OPEN: &str = "DELETE FROM text2sql._document_protections WHERE source = $1";
const PROTECT: &str = "INSERT INTO text2sql._document_protections (source, level, set_by) VALUES ($1, $2, $3)
     ON CONFLICT (source) DO UPDATE SET level = excluded.level, set_by = excluded.set_by, set_at = now()";

/// Whether the caller has the privileges of the database's owner.
pub(super) fn is_administrator() -> bool {
    matches!(spi::read_one::<bool>(ADMINISTRATOR, &[]), Ok(Some(true)))
}

/// Sets the level of a source. The owner of all its documents may, and who has the privileges of the database's owner.
pub(crate) fn protect_source(source: &str, level: &str) -> Result<(), Error> {
    let Some(level) = Level::of(level).filter(|level| *level != Level::Sample) else {
        return Err(failure!(Setting, "invalid protection level \"{level}\"")
            .with_hint("The levels are 'open', 'private' and 'hidden'."));
    };
    // SAFETY: reads a variable.
    let user = unsafe { pgrx::pg_sys::GetUserId() };
    let owns: Option<bool> = as_owner(|| spi::read_one(OWNS_ALL, &[source.into(), user.into()]))?;
    if owns != Some(true) && !is_administrator() {
        return Err(failure!(
            Denied,
            "must be owner of all documents with source \"{source}\""
        ));
    }
    let by = user_name();
    as_owner(|| match level {
        Level::Open | Level::Sample => spi::write(OPEN, &[source.into()], |_| Ok(())),
        level => spi::write(
            PROTECT,
            &[source.into(), level.as_str().into(), by.into()],
            |_| Ok(()),
        ),
    })
    .map(drop)
}
