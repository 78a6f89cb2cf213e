//! `CALL text2sql.refresh()`: builds the search index, or brings it up to date.

use pgrx::prelude::*;

use crate::pg::Datum;
use crate::pg::entry::{Call, entry_point};
use crate::pg::error::Raised;
use crate::pg::refresh;

extension_sql!(
    r#"
CREATE PROCEDURE text2sql.refresh(rebuild boolean DEFAULT false)
    LANGUAGE c
    AS 'MODULE_PATHNAME', 'text2sql_refresh';
"#,
    name = "refresh"
);
entry_point!(text2sql_refresh, pg_finfo_text2sql_refresh, call_refresh);

/// Builds what is missing, commit by commit.
fn call_refresh(call: &Call) -> Result<Datum, Raised> {
    if call.is_atomic() {
        return Err(Raised {
            hint: Some(
                "outside of BEGIN … COMMIT and of functions: CALL text2sql.refresh()".into(),
            ),
            ..Raised::new(
                "25001",
                "refresh() commits as it goes and cannot run inside a transaction block",
            )
        });
    }
    refresh::refresh(call.boolean(0))?;
    Ok(Datum::from(0_usize))
}
