//! Several candidates for one question over real HTTP: at the same time, one failing, in
//! disagreement, all of them wrong.

use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

fn start(replies: &[&str], behaviour: &str, test: &str) -> (ModelDouble, TestDatabase, Client) {
    let rule = serde_json::json!([{"match": "how many", "sequence": true, "replies": replies}]);
    let double = ModelDouble::start(Script::from_json(&rule.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url(behaviour), "");
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET text2sql.tuning = '{\"candidates\": 3}'")
        .unwrap();
    (double, database, analyst)
}

const RIGHT: &str = r#"{"sql": "SELECT count(*) AS n FROM customers"}"#;
const RIGHT_TOO: &str = r#"{"sql": "SELECT count(customer_id) AS customers FROM customers"}"#;
const OTHER: &str = r#"{"sql": "SELECT count(*) AS n FROM customers WHERE customer_id <= 30"}"#;
/// It does not pass the gate.
const OFF_TOPIC: &str = r#"{"sql": "SELECT count(*) AS n FROM orders"}"#;
const BROKEN: &str = r#"{"sql": "SELECT count(*) AS n FROM custmers"}"#;
const NO_ANSWER: &str = r#"{"status": "unanswerable", "missing": ["customers"]}"#;

struct Answered {
    status: String,
    rows: String,
    warnings: Vec<String>,
}

fn ask(client: &mut Client) -> Answered {
    let row = client
        .query_one(
            "SELECT status, coalesce(result_rows::text, ''), warnings FROM text2sql.ask('How many customers?')",
            &[],
        )
        .unwrap();
    Answered {
        status: row.get(0),
        rows: row.get(1),
        warnings: row.get(2),
    }
}

#[test]
fn the_rows_that_most_give_are_the_answer() {
    let (double, _database, mut analyst) = start(&[OTHER, RIGHT, RIGHT_TOO], "ok", "agreement");
    let answered = ask(&mut analyst);
    assert_eq!(answered.status, "ok");
    assert!(answered.rows.contains("40"), "{}", answered.rows);
    assert_eq!(
        answered.warnings[0],
        "2 of 3 candidates agree on these rows"
    );
    assert_eq!(
        answered.warnings[1],
        "another candidate gives as many rows, but others; only here: (40); only there: (30)"
    );
    let asked: std::collections::HashSet<String> = double
        .requests()
        .iter()
        .map(|request| request.body["messages"][1]["content"].to_string())
        .collect();
    assert_eq!(asked.len(), 3, "each request has rules of its own");
}

#[test]
fn a_candidate_off_topic_has_no_vote() {
    let replies = [OFF_TOPIC, RIGHT, OFF_TOPIC];
    let (double, _database, mut analyst) = start(&replies, "ok", "agreement_off_topic");
    let answered = ask(&mut analyst);
    assert!(answered.rows.contains("40"), "{}", answered.rows);
    assert_eq!(answered.warnings, ["only 1 of 3 candidates gave rows"]);
    assert_eq!(double.requests().len(), 3);
}

#[test]
fn candidates_are_asked_for_at_the_same_time_and_one_may_fail() {
    let (double, _database, mut analyst) =
        start(&[RIGHT], "status-403-then-ok/delay-400", "candidates_fail");
    let answered = ask(&mut analyst);
    assert_eq!(
        double.accepted_connections(),
        3,
        "one after the other, they would share a connection"
    );
    assert_eq!(answered.status, "ok");
    assert_eq!(answered.warnings[0], "only 1 of 3 candidates gave rows");
    assert_eq!(double.requests().len(), 3);
}

#[test]
fn when_none_runs_the_first_is_repaired() {
    let (double, _database, mut analyst) =
        start(&[BROKEN, BROKEN, BROKEN, RIGHT], "ok", "candidates_repair");
    let answered = ask(&mut analyst);
    assert_eq!(answered.status, "ok");
    assert!(answered.rows.contains("40"));
    assert_eq!(
        double.requests().len(),
        4,
        "one repair for three candidates"
    );
}

#[test]
fn most_of_them_may_also_say_that_there_is_no_answer() {
    let (_double, _database, mut analyst) =
        start(&[NO_ANSWER, RIGHT, NO_ANSWER], "ok", "candidates_decline");
    assert_eq!(ask(&mut analyst).status, "unanswerable");
}

#[test]
fn when_all_fail_the_reason_is_the_endpoints() {
    let (_double, _database, mut analyst) = start(&[RIGHT], "status-403", "candidates_all_fail");
    let row = analyst
        .query_one(
            "SELECT status, sqlstate, answer FROM text2sql.ask('How many customers?')",
            &[],
        )
        .unwrap();
    let message: String = row.get(2);
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, &str>(1)),
        ("failed", "55000"),
        "{message}"
    );
}

#[test]
fn a_cancel_ends_all_of_them() {
    let (_double, _database, mut analyst) = start(&[RIGHT], "delay-20000", "candidates_cancel");
    analyst
        .batch_execute("SET statement_timeout = '300ms'")
        .unwrap();
    let started = Instant::now();
    let (code, _, _) = error_of(
        &mut analyst,
        "SELECT status FROM text2sql.ask('How many customers?')",
    );
    assert_eq!(code, "57014");
    // The endpoint takes 20 seconds.
    assert!(started.elapsed() < Duration::from_secs(10));
    analyst
        .batch_execute("RESET statement_timeout; SELECT 1")
        .unwrap();
}
