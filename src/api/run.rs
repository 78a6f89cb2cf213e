//! `text2sql.run(sql)` and `text2sql.run_json(sql)`: any SELECT under the full guard. What the
//! guard refuses is an error: `T2003` for a missing privilege, `T2004` for everything else; an
//! error of the statement keeps its own SQLSTATE.
//!
//! The functions themselves are in `pg/run_functions.rs`; here is how they look from outside.

use pgrx::prelude::*;
use serde_json::{Value, json};
use text2sql_core::sql_result::Execution;

use crate::pg::typed_rows::unique_names;

extension_sql!(
    r#"
CREATE FUNCTION text2sql.run(sql text) RETURNS SETOF record
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE COST 100000
    AS 'MODULE_PATHNAME', 'text2sql_run';
COMMENT ON FUNCTION text2sql.run(text) IS
    'Runs one SELECT under the guard: read-only, as the caller, within the limits. '
    'Call it as: SELECT * FROM text2sql.run($$...$$) AS t(name type, ...)';

CREATE FUNCTION text2sql.run_json(sql text)
    RETURNS TABLE (columns json, rows json, row_count bigint, truncated boolean)
    LANGUAGE c STRICT VOLATILE PARALLEL UNSAFE COST 100000 ROWS 1
    AS 'MODULE_PATHNAME', 'text2sql_run_json';
COMMENT ON FUNCTION text2sql.run_json(text) IS
    'Runs one SELECT under the guard: read-only, as the caller, within the limits. '
    'Gives the rows as an array of objects that keep the exact text of every number';
"#,
    name = "run_functions"
);

/// The columns as an array of `{"name", "type"}`, names and types as they are.
pub(crate) fn columns_json(execution: &Execution) -> String {
    let columns: Vec<Value> = execution
        .columns
        .iter()
        .map(|column| json!({"name": column.name, "type": column.type_name}))
        .collect();
    Value::from(columns).to_string()
}

/// The rows as an array of objects in column order; repeated names get a number.
pub(crate) fn rows_json(execution: &Execution) -> String {
    let keys: Vec<String> = unique_names(&execution.columns)
        .into_iter()
        .map(|name| Value::from(name).to_string())
        .collect();
    let mut json = String::from("[");
    for (index, row) in execution.rows.iter().enumerate() {
        json.push_str(if index > 0 { ",{" } else { "{" });
        for (index, (key, cell)) in keys.iter().zip(row).enumerate() {
            if index > 0 {
                json.push(',');
            }
            json.push_str(key);
            json.push(':');
            json.push_str(cell.json.get());
        }
        json.push('}');
    }
    json.push(']');
    json
}
