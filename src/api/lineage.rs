//! `text2sql.lineage(sql)`: the columns that a SELECT reads, directly or through views.
//!
//! A statement refused by the guard raises an error, as in `run`.

use pgrx::prelude::*;
use text2sql_domain::ports::Outcome;

use crate::pg::Datum;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};

extension_sql!(
    r#"
CREATE FUNCTION text2sql.lineage(sql text)
    RETURNS TABLE (relation_name text, column_name text, via text)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 20
    AS 'MODULE_PATHNAME', 'text2sql_lineage';
"#,
    name = "lineage"
);
entry_point!(text2sql_lineage, pg_finfo_text2sql_lineage, lineage);

/// Lists the columns that a statement reads, without running it.
fn lineage(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let sql = call.required_text(0, "statement")?;
    let limits = settings::limits(&Overrides::default());
    let sources = match GuardedDatabase::new()?.lineage(&sql, &limits)? {
        Outcome::Passed(sources) => sources,
        Outcome::Rejected(rejection) => return Err(Raised::refusal(&rejection, &sql)),
        Outcome::Failed(error) => return Err(Raised::database(error, &sql)),
    };
    set.hand_over_rows(sources.iter().map(|source| {
        [
            text_datum(&source.relation),
            source.column.as_deref().and_then(text_datum),
            source.via.as_deref().and_then(text_datum),
        ]
    }))
}
