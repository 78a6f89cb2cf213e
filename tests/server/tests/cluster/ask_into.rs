//! During a model call, `CALL ask_into` holds no snapshot where it may commit, and says so where it may
//! not. Its rows are those of the query that answers, whatever ran beside it.

use std::sync::{Arc, Mutex};
use std::thread;

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::waiting::{wait_for_model, wait_until};
use text2sql_server_tests::{ANALYST, ServerSetting, TestDatabase, connect_listening, error_of};

/// The row of `pg_stat_activity` for a backend that waits for its model.
struct Waiting {
    snapshot: Option<String>,
    transaction: Option<String>,
}

/// Waits until the backend waits for the `nth` time.
fn observe(admin: &mut Client, pid: i32, double: &ModelDouble, nth: usize) -> Waiting {
    let mut seen = None;
    wait_until("a backend that waits for its model", || {
        let row = admin
            .query_one(
                "SELECT backend_xmin::text, backend_xid::text, wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $1",
                &[&pid],
            )
            .unwrap();
        if double.requests().len() >= nth && row.get::<_, Option<bool>>(2) == Some(true) {
            seen = Some(Waiting {
                snapshot: row.get(0),
                transaction: row.get(1),
            });
        }
        seen.is_some()
    });
    seen.unwrap()
}

fn pid(client: &mut Client) -> i32 {
    client
        .query_one("SELECT pg_backend_pid()", &[])
        .unwrap()
        .get(0)
}

fn slow(test: &str, replies: &[&str]) -> (ModelDouble, TestDatabase) {
    let rule = serde_json::json!([{"match": "how many", "sequence": true, "replies": replies}]);
    let double = ModelDouble::start(Script::from_json(&rule.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url("delay-700"), "");
    (double, database)
}

const RIGHT: &str = r#"{"sql": "SELECT count(*) AS n FROM customers"}"#;
const BROKEN: &str = r#"{"sql": "SELECT count(*) AS n FROM custmers"}"#;

#[test]
fn nothing_is_held_where_it_may_commit() {
    let (double, database) = slow("into_snapshot", &[BROKEN, RIGHT]);
    let mut analyst = database.analyst();
    let pid = pid(&mut analyst);
    let caller = thread::spawn(move || {
        analyst
            .batch_execute("CALL text2sql.ask_into('How many customers?', 'answer')")
            .unwrap();
        let row = analyst.query_one("SELECT n FROM answer", &[]).unwrap();
        row.get::<_, i64>(0)
    });
    let mut admin = database.superuser();
    // In the first wait and in that for the repair.
    for nth in [1, 2] {
        let waiting = observe(&mut admin, pid, &double, nth);
        assert_eq!(waiting.snapshot, None, "wait {nth}");
        assert_eq!(waiting.transaction, None, "wait {nth}");
    }
    assert_eq!(caller.join().unwrap(), 40);
    let row = admin
        .query_one("SELECT function, status FROM text2sql.history", &[])
        .unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, &str>(1)),
        ("ask_into", "ok")
    );
}

#[test]
fn in_a_transaction_block_it_waits_and_says_so() {
    let (double, _database) = slow("into_block", &[RIGHT]);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let mut analyst = connect_listening("t2s_into_block", Some(ANALYST), move |notice| {
        listener.lock().unwrap().push(notice);
    });
    let pid = pid(&mut analyst);
    let caller = thread::spawn(move || {
        analyst
            .batch_execute("BEGIN; CALL text2sql.ask_into('How many customers?', 'cursor:answer')")
            .unwrap();
        let rows = analyst.query("FETCH ALL FROM answer", &[]).unwrap();
        rows[0].get::<_, i64>(0)
    });
    let mut admin = _database.superuser();
    assert!(observe(&mut admin, pid, &double, 1).snapshot.is_some());
    assert_eq!(caller.join().unwrap(), 40);
    let heard = heard.lock().unwrap().join("\n");
    assert!(heard.contains("ask_into cannot commit"), "{heard}");
}

#[test]
fn a_role_of_the_transaction_would_be_lost() {
    let (_double, database) = slow("into_role", &[RIGHT]);
    let mut admin = database.superuser();
    admin
        .batch_execute("GRANT USAGE ON FOREIGN SERVER m TO t2s_analyst")
        .unwrap();
    let (code, message, hint) = error_of(
        &mut admin,
        "DO $$ BEGIN SET LOCAL ROLE t2s_analyst; CALL text2sql.ask_into('How many customers?', 'answer'); END $$",
    );
    assert_eq!(code, "55000", "{message}");
    assert!(message.contains("SET LOCAL ROLE"), "{message}");
    assert!(hint.contains("SET ROLE"), "{hint}");
}

#[test]
fn a_cancel_a_full_house_and_a_failing_endpoint_are_errors() {
    let (double, database) = slow("into_errors", &[RIGHT]);
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET statement_timeout = '200ms'")
        .unwrap();
    let call = "CALL text2sql.ask_into('How many customers?', 'answer')";
    assert_eq!(error_of(&mut analyst, call).0, "57014");
    analyst.batch_execute("RESET statement_timeout").unwrap();
    let mut other = database.analyst();
    let _one = ServerSetting::set("text2sql.max_concurrency", 1);
    let mut admin = database.superuser();
    let mut late = database.analyst();
    // The first one waits until it is cancelled, however long the second one takes.
    let answer_after = |behaviour| {
        let url = double.base_url(behaviour);
        format!("ALTER SERVER m OPTIONS (SET base_url '{url}')")
    };
    admin.batch_execute(&answer_after("delay-60000")).unwrap();
    let (process, token) = (pid(&mut other), other.cancel_token());
    let first = thread::spawn(move || error_of(&mut other, call).0);
    wait_for_model(&mut admin, process);
    assert_eq!(error_of(&mut late, call).0, "54000");
    token.cancel_query(postgres::NoTls).unwrap();
    assert_eq!(first.join().unwrap(), "57014");
    admin.batch_execute(&answer_after("ok")).unwrap();
    // The slot is free again, and the session goes on.
    late.batch_execute(call).unwrap();
    analyst.batch_execute(call).unwrap();
}

#[test]
fn typed_rows_are_those_of_the_answer() {
    let rule = serde_json::json!([{"match": "how many", "sequence": true, "replies": [
        RIGHT,
        r#"{"sql": "SELECT count(customer_id) AS customers FROM customers"}"#,
        r#"{"sql": "SELECT count(*) AS n FROM orders"}"#,
    ]}]);
    let double = ModelDouble::start(Script::from_json(&rule.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new("into_candidates");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    analyst
        .batch_execute(
            "SET text2sql.tuning = '{\"candidates\": 3}'; CALL text2sql.ask_into('How many customers?', 'answer')",
        )
        .unwrap();
    let row = analyst.query_one("SELECT * FROM answer", &[]).unwrap();
    assert_eq!(
        row.get::<_, i64>(0),
        40,
        "two of three say so; the last one says 400"
    );
}
