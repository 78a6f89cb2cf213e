//! A backend that waits for a model listens: to cancel, to timeouts, to termination.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests' own threads are no backend's; a test that cannot go on fails"
)]

use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use text2sql_server_tests::{TestDatabase, error_of};

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many customers?')";

/// How soon an interrupt must be served. The issue asks for 100 ms; two busy cores get some grace.
const SOON: Duration = Duration::from_millis(400);

fn slow(test: &str) -> (ModelDouble, TestDatabase) {
    let double =
        ModelDouble::start(Script::new().otherwise(r#"{"sql": "SELECT 1 AS n"}"#)).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url("delay-20000"), "");
    (double, database)
}

#[test]
fn a_cancel_ends_the_wait_and_the_request() {
    let (double, database) = slow("cancel");
    let mut client = database.analyst();
    let token = client.cancel_token();
    let canceller = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        let sent = Instant::now();
        token.cancel_query(postgres::NoTls).unwrap();
        sent
    });
    let (code, _, _) = error_of(&mut client, QUESTION);
    let ended = Instant::now();
    assert_eq!(code, "57014");
    assert!(ended - canceller.join().unwrap() < SOON);
    thread::sleep(Duration::from_millis(200));
    assert_eq!(double.open_connections(), 0, "the request is aborted");
    // The session and its helper thread go on.
    database
        .superuser()
        .batch_execute("ALTER SERVER m OPTIONS (SET model 'other')")
        .unwrap();
    assert_eq!(
        client.query_one("SELECT 1", &[]).unwrap().get::<_, i32>(0),
        1
    );
}

#[test]
fn statement_timeout_holds_while_waiting() {
    let (_double, database) = slow("timeout");
    let mut client = database.analyst();
    client
        .batch_execute("SET statement_timeout = '300ms'")
        .unwrap();
    let start = Instant::now();
    let (code, message, _) = error_of(&mut client, QUESTION);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("57014", "canceling statement due to statement timeout")
    );
    assert!(start.elapsed() < Duration::from_millis(300) + SOON);
}

#[test]
fn termination_is_served_and_leaves_nothing() {
    let (double, database) = slow("terminate");
    let mut client = database.analyst();
    let pid: i32 = client
        .query_one("SELECT pg_backend_pid()", &[])
        .unwrap()
        .get(0);
    let waiter = thread::spawn(move || client.query_one(QUESTION, &[]).is_err());
    thread::sleep(Duration::from_millis(500));
    let mut admin = database.superuser();
    let wait_event: String = admin
        .query_one(
            "SELECT wait_event_type FROM pg_stat_activity WHERE pid = $1",
            &[&pid],
        )
        .unwrap()
        .get(0);
    assert_eq!(wait_event, "Extension");
    let start = Instant::now();
    admin
        .execute("SELECT pg_terminate_backend($1)", &[&pid])
        .unwrap();
    let is_there = "SELECT count(*) FROM pg_stat_activity WHERE pid = $1";
    while admin.query_one(is_there, &[&pid]).unwrap().get::<_, i64>(0) > 0 {
        assert!(start.elapsed() < SOON, "the backend is still there");
        thread::sleep(Duration::from_millis(2));
    }
    assert!(waiter.join().unwrap());
    thread::sleep(Duration::from_millis(200));
    assert_eq!(double.open_connections(), 0);
}

#[test]
fn no_lock_but_the_slot_is_held_while_waiting() {
    let (_double, database) = slow("locks");
    let mut admin = database.superuser();
    // Everything that is looked at for a question: definitions, examples, values, protection.
    admin
        .batch_execute(
            "SELECT text2sql.define('customers', 'who buys', 'name IS NOT NULL', 'customers');
             SELECT text2sql.verify_example(text2sql.add_example('How many customers were there?', 'SELECT count(name) FROM customers'));
             SELECT text2sql.protect('customers.mail', 'private')",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut client = database.analyst();
    let token = client.cancel_token();
    let pid: i32 = client
        .query_one("SELECT pg_backend_pid()", &[])
        .unwrap()
        .get(0);
    let waiter = thread::spawn(move || error_of(&mut client, QUESTION).0);
    thread::sleep(Duration::from_millis(500));
    // A user's table can be changed meanwhile.
    admin
        .batch_execute("SET lock_timeout = '1s'; ALTER TABLE orders ADD COLUMN note text")
        .unwrap();
    let held: Vec<String> = admin
        .query("SELECT relation::regclass::text FROM pg_locks WHERE pid = $1 AND locktype = 'relation'", &[&pid])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(held, Vec::<String>::new());
    token.cancel_query(postgres::NoTls).unwrap();
    assert_eq!(waiter.join().unwrap(), "57014");
}
