//! `text2sql._run_for_primary(sql, limits)`: a statement that the primary sends here because its
//! `text2sql.run_on` names this server. It runs as the caller, under the full guard of this server.

use pgrx::prelude::*;
use text2sql_domain::ports::Database;
use text2sql_replica::reply::{self, SentLimits};

use crate::pg::Datum;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};

extension_sql!(
    r#"
CREATE FUNCTION text2sql._run_for_primary(sql text, limits jsonb) RETURNS json
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_run_for_primary';
"#,
    name = "run_for_primary"
);
entry_point!(run_for_primary);

/// Runs the statement and returns its outcome as a document; a refusal and an error of the statement are outcomes, too.
fn run_for_primary(call: &Call) -> Result<Datum, Raised> {
    let sql = call.required_text(0, "statement")?;
    let own = settings::limits(&Overrides::default());
    let limits = call
        .json(1)?
        .and_then(|sent| serde_json::from_value::<SentLimits>(sent.0).ok())
        .ok_or_else(|| Raised::new("22023", "limits must be those that the primary sends"))?
        .within(&own);
    let outcome = GuardedDatabase::of_replica()?.run(&sql, &limits)?;
    text_datum(&reply::write(outcome))
        .ok_or_else(|| Raised::new("54000", "the outcome cannot be written as a document"))
}
