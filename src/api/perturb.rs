//! Functions used by `sql/schema/text2sql_eval/perturbation.sql`: fill one copy, delete the records of copies,
//! and find the values that gold statements compare columns with.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_metrics::boundary_values::boundaries;

use crate::pg::server::entry::{Call, entry_point};
use crate::pg::server::error::Raised;
use crate::pg::server::text_argument::Text;
use crate::pg::stored::evaluation::perturbed_tables;
use crate::pg::{Datum, Oid};

extension_sql!(
    r#"
CREATE FUNCTION text2sql_eval._fill_copy(version integer, original oid, copy oid, keep double precision, max_rows integer)
    RETURNS bigint
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_fill_copy';
CREATE FUNCTION text2sql_eval._forget_copies() RETURNS void
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_forget_copies';
"#,
    name = "perturb",
    requires = ["eval_schema"]
);
entry_point!(fill_copy);
entry_point!(forget_copies);

fn fill_copy(call: &Call) -> Result<Datum, Raised> {
    let filled = perturbed_tables::fill(
        call.integer(0).unwrap_or_default(),
        call.oid(1).unwrap_or(Oid::INVALID),
        call.oid(2).unwrap_or(Oid::INVALID),
        call.double(3).unwrap_or_default(),
        call.integer(4).unwrap_or_default(),
    )?;
    Ok(filled.into_datum().unwrap_or_else(|| call.null()))
}

fn forget_copies(_call: &Call) -> Result<Datum, Raised> {
    perturbed_tables::forget()?;
    Ok(Datum::from(0_usize))
}

/// The literals that a statement compares columns with, so that perturbed copies can contain them.
#[pg_extern(
    sql = r"
CREATE FUNCTION text2sql_eval._boundaries(sql text) RETURNS jsonb
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE
    AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
",
    requires = ["eval_schema"]
)]
fn _boundaries(sql: Text<'_>) -> pgrx::JsonB {
    let sql = &*sql;
    pgrx::JsonB(serde_json::to_value(boundaries(sql)).unwrap_or_default())
}
