//! Large inputs end with the statement's limit: every function of the extension that takes an array, a document or a text,
//! whichever it is, with a hundred thousand different elements, and with texts of the shapes on which readers were slow.
//! The functions come from the catalog, so the newest is among them.

use std::time::{Duration, Instant};

use postgres::Client;
use text2sql_server_tests::TestDatabase;

const TIMEOUT: Duration = Duration::from_secs(1);

/// What may pass between the limit and the end of a call, in a debug build on a busy machine. A loop without an interrupt
/// takes minutes.
const GRACE: Duration = Duration::from_secs(15);

const FUNCTIONS: &str = "
    SELECT p.oid::regproc::text, p.prokind = 'p', p.prorettype = 'record'::regtype AND p.proallargtypes IS NULL,
           ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY u (t, n) ORDER BY n)
    FROM pg_proc p
    WHERE p.pronamespace IN ('text2sql'::regnamespace, 'text2sql_eval'::regnamespace)
      AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
      AND EXISTS (SELECT FROM unnest(p.proargtypes) AS t
                   WHERE t IN ('text'::regtype, 'json'::regtype, 'jsonb'::regtype) OR t::regtype::text LIKE '%[]')
    ORDER BY 1, 4";

/// Values of every type that a function takes, large where the type can be.
fn value(of_type: &str, text: &str) -> String {
    let elements = "generate_series(1, 100000) AS g";
    match of_type {
        "text" | "name" => format!("({text})::{of_type}"),
        "text[]" | "bigint[]" | "integer[]" | "oid[]" => {
            format!(
                "(SELECT array_agg(g::{}) FROM {elements})",
                of_type.trim_end_matches("[]")
            )
        }
        "smallint[]" => format!("(SELECT array_agg((g % 30000)::smallint) FROM {elements})"),
        "double precision[]" => {
            format!("(SELECT array_agg((g * 7919 % 100000) / 100000.0::float8) FROM {elements})")
        }
        "boolean[]" => format!("(SELECT array_agg(g % 3 = 0) FROM {elements})"),
        "json" | "jsonb" => {
            format!("(SELECT json_agg(json_build_object('a' || g, g)) FROM {elements})::{of_type}")
        }
        "integer" | "bigint" | "smallint" | "double precision" | "real" | "numeric" => {
            format!("1::{of_type}")
        }
        "boolean" => "false".to_owned(),
        other => format!("NULL::{other}"),
    }
}

/// The call with these large arguments.
fn call(row: &postgres::Row, text: &str) -> String {
    let (name, is_procedure, has_column_list): (String, bool, bool) =
        (row.get(0), row.get(1), row.get(2));
    let types: Vec<String> = row.get(3);
    let values: Vec<String> = types.iter().map(|of_type| value(of_type, text)).collect();
    let call = format!("{name}({})", values.join(", "));
    match (is_procedure, has_column_list) {
        (true, _) => format!("CALL {call}"),
        (false, true) => format!("SELECT * FROM {call} AS t (x text)"),
        (false, false) => format!("SELECT * FROM {call}"),
    }
}

/// How long the statement took, and that it left the session alive.
fn run(client: &mut Client, sql: &str) -> Duration {
    let begin = Instant::now();
    let outcome = client.simple_query(sql);
    assert!(!client.is_closed(), "the session was lost: {sql}");
    if let Err(error) = outcome {
        assert!(error.as_db_error().is_some(), "{sql}: {error}");
    }
    begin.elapsed()
}

#[test]
fn every_function_ends_with_the_statement_whatever_its_arguments_hold() {
    let database = TestDatabase::new("large_inputs");
    let mut client = database.superuser();
    let functions = client.query(FUNCTIONS, &[]).unwrap();
    assert!(functions.len() > 100, "only {} functions", functions.len());
    let set = format!("SET statement_timeout = {}", TIMEOUT.as_millis());
    client.batch_execute(&set).unwrap();
    let texts = [
        "'SELECT 1' || repeat('+1', 200000)",
        "'CREATE TABLE t (a int' || repeat(', a int', 150000) || ')'",
        "repeat('[', 300000)",
    ];
    let mut slow = Vec::new();
    for row in &functions {
        // With large arrays and documents the text is not the point.
        let types: Vec<String> = row.get(3);
        let count = if types.iter().any(|of_type| of_type == "text") {
            texts.len()
        } else {
            1
        };
        for text in &texts[..count] {
            let sql = call(row, text);
            let time = run(&mut client, &sql);
            if time > TIMEOUT + GRACE {
                slow.push(format!("{time:?}: {sql}"));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// What was found: labels that all differ took minutes, past every cancel.
#[test]
fn a_measure_over_many_labels_is_computed_or_cancelled() {
    let database = TestDatabase::new("many_labels");
    let mut client = database.superuser();
    client
        .batch_execute("SET statement_timeout = '20s'")
        .unwrap();
    let sql = "SELECT (text2sql_eval._kappa(array_agg(g::text), array_agg((g * 7 % 1000)::text)) ->> 'items')::int
               FROM generate_series(1, 300000) g";
    let items: i32 = client.query_one(sql, &[]).unwrap().get(0);
    assert_eq!(items, 300_000);
}
