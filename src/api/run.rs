//! `text2sql.run(sql)` and `text2sql.run_json(sql)`: any SELECT under the full guard.
//!
//! A refusal by the guard is an error: `T2003` for a missing privilege, `T2004` for everything else. An error
//! of the statement keeps its own SQLSTATE.

use pgrx::IntoDatum;
use pgrx::prelude::*;
use text2sql_domain::json_rows::{columns_json, rows_json};
use text2sql_domain::ports::{Database, Outcome};
use text2sql_domain::sql_result::Execution;

use crate::pg::Datum;
use crate::pg::access::execution::database::GuardedDatabase;
use crate::pg::server::entry::{Call, entry_point, text_datum};
use crate::pg::server::error::Raised;
use crate::pg::server::settings::{self, Overrides};
use crate::statement::reader_language::in_reader_language;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.run(sql text) RETURNS SETOF record
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_run';

CREATE FUNCTION text2sql.run_json(sql text)
    RETURNS TABLE (result_columns json, result_rows json, row_count bigint, truncated boolean)
    LANGUAGE c VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_run_json';
"#,
    name = "run"
);
entry_point!(run);
entry_point!(run_json);

/// Runs a statement and returns its rows in the types of the caller's column definition list.
fn run(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let sql = call.required_text(0, "statement")?;
    let database = GuardedDatabase::keeping_rows()?;
    in_reader_language(|| set.in_query_memory(|| execute(&database, &sql)))?;
    match database.into_rows(&sql) {
        Some(rows) => set.hand_over(rows, &Overrides::default()),
        None => Err(Raised::new("XX000", "the statement returned no typed rows")),
    }
}

/// Runs a statement and returns its columns and rows as JSON.
fn run_json(call: &Call) -> Result<Datum, Raised> {
    let set = call.record_set()?;
    let sql = call.required_text(0, "statement")?;
    let database = GuardedDatabase::new()?;
    let execution = in_reader_language(|| execute(&database, &sql))?;
    let row_count = i64::try_from(execution.rows.len()).unwrap_or(i64::MAX);
    set.hand_over_row(&[
        text_datum(&columns_json(&execution.columns)),
        text_datum(&rows_json(&execution.columns, &execution.rows)),
        row_count.into_datum(),
        execution.is_truncated.into_datum(),
    ])
}

fn execute(database: &GuardedDatabase, sql: &str) -> Result<Execution, Raised> {
    match database.run(sql, &settings::limits(&Overrides::default()))? {
        Outcome::Passed(execution) => {
            for note in &execution.notes {
                pgrx::notice!("{note}");
            }
            Ok(execution)
        }
        Outcome::Rejected(rejection) => Err(Raised::refusal(&rejection, sql)),
        Outcome::Failed(error) => Err(Raised::database(error, sql)),
    }
}
