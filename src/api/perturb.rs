//! What `sql/schema/perturbation.sql` is built on: fills one copy, and takes copies off the record.

use pgrx::IntoDatum;
use pgrx::prelude::*;

use crate::pg::entry::{Call, entry_point};
use crate::pg::error::Raised;
use crate::pg::perturbed;
use crate::pg::{Datum, Oid};

extension_sql!(
    r#"
CREATE FUNCTION text2sql._fill_copy(version integer, original oid, copy oid, keep double precision, max_rows integer)
    RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_fill_copy';
CREATE FUNCTION text2sql._forget_copies() RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_forget_copies';
"#,
    name = "perturb"
);
entry_point!(text2sql_fill_copy, pg_finfo_text2sql_fill_copy, fill_copy);
entry_point!(
    text2sql_forget_copies,
    pg_finfo_text2sql_forget_copies,
    forget_copies
);

fn fill_copy(call: &Call) -> Result<Datum, Raised> {
    let filled = perturbed::fill(
        call.integer(0).unwrap_or_default(),
        call.oid(1).unwrap_or(Oid::INVALID),
        call.oid(2).unwrap_or(Oid::INVALID),
        call.double(3).unwrap_or_default(),
        call.integer(4).unwrap_or_default(),
    )?;
    Ok(filled.into_datum().unwrap_or_else(|| call.null()))
}

fn forget_copies(_call: &Call) -> Result<Datum, Raised> {
    perturbed::forget()?;
    Ok(Datum::from(0_usize))
}
