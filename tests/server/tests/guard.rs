//! The guard against the corpus that lies beside the project, and what must not remain after a run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use std::path::PathBuf;

use postgres::Client;
use text2sql_server_tests::{TestDatabase, connect, error_of};

/// The folder with the corpus. Only a developer's machine may lack it.
fn shared() -> Option<PathBuf> {
    let shared = std::env::var_os("TEXT2SQL_SHARED").map(PathBuf::from);
    let is_ci = std::env::var_os("CI").is_some();
    assert!(
        shared.is_some() || !is_ci,
        "../shared is missing, and the guard's corpus with it"
    );
    shared
}

fn lines(file: &str) -> Vec<serde_json::Value> {
    let Some(shared) = shared() else {
        return Vec::new();
    };
    let text = std::fs::read_to_string(shared.join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A database as `attacks_setup.sql` wants it, with the role `analyst`, which may ask.
fn hostile_database(name: &str) -> TestDatabase {
    let database = TestDatabase::new(name);
    let mut admin = database.superuser();
    admin
        .batch_execute("DROP TABLE countries, customers, orders, salaries")
        .unwrap();
    let setup = std::fs::read_to_string(shared().unwrap().join("attacks_setup.sql")).unwrap();
    let sql: String = setup
        .lines()
        .filter(|line| !line.starts_with('\\'))
        .collect::<Vec<_>>()
        .join("\n");
    // Two tests share the role, which exists once in the cluster.
    admin
        .batch_execute("SELECT pg_advisory_lock(7433)")
        .unwrap();
    admin.batch_execute(&sql).unwrap();
    admin
        .batch_execute("SELECT text2sql.grant_usage('analyst')")
        .unwrap();
    database
}

fn verdict(client: &mut Client, sql: &str) -> Result<(), String> {
    match client.query("SELECT row_count FROM text2sql.run_json($1)", &[&sql]) {
        Ok(_) => Ok(()),
        Err(error) => {
            let error = error.as_db_error().expect("the server is still there");
            Err(format!("{} {}", error.code().code(), error.message()))
        }
    }
}

#[test]
fn the_corpus_is_judged_rightly() {
    let cases = lines("attacks.jsonl");
    if cases.is_empty() {
        return;
    }
    let database = hostile_database("corpus");
    let mut client = connect("t2s_corpus", Some("analyst"));
    let mut wrong = Vec::new();
    for case in &cases {
        let sql = case["sql"].as_str().unwrap();
        // A NUL byte cannot even be sent; the client refuses it.
        if sql.contains('\0') {
            continue;
        }
        let verdict = verdict(&mut client, sql);
        if verdict.is_ok() != (case["expect"] == "allow") {
            wrong.push(format!(
                "{} {}: {verdict:?}: {sql}",
                case["id"], case["expect"]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    drop(client);
    drop(database);
}

#[test]
fn bombs_are_refused_or_end_in_time() {
    let cases = lines("runtime_bombs.jsonl");
    if cases.is_empty() {
        return;
    }
    let _database = hostile_database("bombs");
    let mut client = connect("t2s_bombs", Some("analyst"));
    client
        .batch_execute("SET text2sql.statement_limit = '1s'; SET text2sql.memory_limit = '256MB'")
        .unwrap();
    for case in &cases {
        let sql = case["sql"].as_str().unwrap();
        let start = std::time::Instant::now();
        let _ = verdict(&mut client, sql);
        let interruptible = case["residual"] != true;
        assert!(
            !interruptible || start.elapsed().as_secs() < 5,
            "{}: {:?}",
            case["id"],
            start.elapsed()
        );
        assert_eq!(
            client.query_one("SELECT 1", &[]).unwrap().get::<_, i32>(0),
            1
        );
    }
}

#[test]
fn nothing_of_a_run_remains() {
    let database = TestDatabase::new("remains");
    let mut client = database.analyst();
    let state =
        "SELECT (SELECT md5(string_agg(name || setting, ',' ORDER BY name)) FROM pg_settings),
        (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'),
        (SELECT count(*) FROM pg_cursors WHERE name <> ''), current_user::text";
    type State = (String, i64, i64, String);
    let read = |client: &mut Client| -> State {
        let row = client.query_one(state, &[]).unwrap();
        (row.get(0), row.get(1), row.get(2), row.get(3))
    };
    // The library brings its settings along when it is loaded.
    client.query_one("SELECT text2sql.version()", &[]).unwrap();
    let before = read(&mut client);
    for sql in [
        "SELECT count(*) FROM orders",
        "SELECT 1/0",
        "SELECT pg_advisory_lock(1)",
        "SELECT set_config('work_mem', '1MB', false)",
        "SELECT nme FROM orders",
        "SELECT count(*) FROM orders a, orders b, orders c, orders d, orders e",
    ] {
        let _ = verdict(&mut client, sql);
        assert_eq!(read(&mut client), before, "{sql}");
    }
}

#[test]
fn the_caller_goes_on_after_a_refusal_inside_a_transaction() {
    let database = TestDatabase::new("transaction");
    let mut admin = database.superuser();
    let mut transaction = admin.transaction().unwrap();
    transaction
        .batch_execute("INSERT INTO countries VALUES (3, 'Spain')")
        .unwrap();
    let row = transaction
        .query_one(
            "SELECT status, rows::text FROM text2sql.ask('How many countries are there?')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    assert!(
        row.get::<_, &str>(1).contains('3'),
        "the caller's own writes are seen"
    );
    transaction.batch_execute("SAVEPOINT a").unwrap();
    let refused = transaction.query(
        "SELECT * FROM text2sql.run_json('DELETE FROM countries')",
        &[],
    );
    assert_eq!(
        refused.unwrap_err().as_db_error().unwrap().code().code(),
        "T2004"
    );
    transaction
        .batch_execute("ROLLBACK TO a; INSERT INTO countries VALUES (4, 'Italy')")
        .unwrap();
    transaction.commit().unwrap();
    assert_eq!(
        admin
            .query_one("SELECT count(*) FROM countries", &[])
            .unwrap()
            .get::<_, i64>(0),
        4
    );
}

#[test]
fn limits_end_a_query_and_not_the_session() {
    let database = TestDatabase::new("limits");
    let mut client = database.analyst();
    client
        .batch_execute("SET text2sql.statement_limit = '200ms'")
        .unwrap();
    let start = std::time::Instant::now();
    let endless =
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r";
    let (code, message, _) = error_of(
        &mut client,
        &format!("SELECT * FROM text2sql.run_json('{endless}')"),
    );
    assert_eq!(code, "57014");
    assert!(message.contains("text2sql.statement_limit"), "{message}");
    assert!(start.elapsed().as_millis() < 600);
    // A late timer of ours must not hit the next statement.
    client.query_one("SELECT pg_sleep(0.3)", &[]).unwrap();
    client
        .batch_execute("SET text2sql.max_bytes = '1kB'")
        .unwrap();
    let row = client
        .query_one(
            "SELECT truncated FROM text2sql.run_json('SELECT repeat(''x'', 100) FROM orders')",
            &[],
        )
        .unwrap();
    assert!(row.get::<_, bool>(0));
}
