//! A library that is newer or older than the functions of the database: what `make install` leaves until
//! `ALTER EXTENSION pg_text2sql UPDATE`.

use text2sql_server_tests::{TestDatabase, error_of};

#[test]
fn functions_of_another_version_raise_an_error_and_end_no_server() {
    let database = TestDatabase::new("versions");
    let mut admin = database.superuser();
    for (columns, call) in [
        ("allowed boolean", "text2sql_validate"),
        (
            "allowed boolean, rule text, reason text, offender text, \"position\" integer, statement text, relations text[], columns text[], functions text[], estimated_cost float8, estimated_rows float8, sqlstate text, advice text, more text, most text",
            "text2sql_validate",
        ),
        (
            "columns json, rows json, row_count bigint, truncated boolean, warning text, note text",
            "text2sql_run_json",
        ),
    ] {
        admin
            .batch_execute(&format!(
                "DROP FUNCTION IF EXISTS other_version(text);
                 CREATE FUNCTION other_version(sql text) RETURNS TABLE ({columns}) LANGUAGE c AS '$libdir/pg_text2sql', '{call}'"
            ))
            .unwrap();
        // Each time other memory lies behind the row.
        for _ in 0..20 {
            let sql = "SELECT * FROM other_version('SELECT 1 AS one')";
            let (code, message, hint) = error_of(&mut admin, sql);
            assert_eq!(code, "55000", "{message}");
            assert_eq!(hint, "ALTER EXTENSION pg_text2sql UPDATE");
        }
    }
}
