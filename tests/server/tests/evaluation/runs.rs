//! An evaluation survives the failure of its connection, and several connections share one.

use std::thread;
use std::time::{Duration, Instant};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{TestDatabase, error_of};

/// Cases in the suite. Each gold statement takes a while, so that a cancel finds the evaluation at work.
const CASES: usize = 24;

fn prepared(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    let mut admin = database.superuser();
    admin
        .batch_execute("SELECT text2sql.grant_access('t2s_analyst', 'evaluation')")
        .unwrap();
    let mut analyst = database.analyst();
    for number in 0..CASES {
        let (question, gold) = match number % 3 {
            0 => (
                "How many customers are there?",
                "SELECT count(*) FROM customers, generate_series(1, 3000) AS g HAVING count(*) > 0",
            ),
            1 => (
                "How many orders are there?",
                "SELECT count(*) FROM (SELECT DISTINCT o.order_id FROM orders o, generate_series(1, 200)) AS d",
            ),
            _ => (
                "What is the meaning of life?",
                "SELECT count(*) + 42 FROM orders, generate_series(1, 200)",
            ),
        };
        analyst
            .execute(
                "SELECT text2sql_eval.add_case('shop', $1, $2, key => $3)",
                &[&question, &gold, &format!("case {number:02}")],
            )
            .unwrap();
    }
    database
}

fn begin(client: &mut Client) -> i64 {
    client
        .query_one(
            "SELECT text2sql_eval._begin_evaluation('shop', 1, '{}', NULL, NULL, NULL)",
            &[],
        )
        .unwrap()
        .get(0)
}

fn state(client: &mut Client, evaluation_id: i64) -> (String, i64) {
    let sql = "SELECT u.state, (SELECT count(*) FROM text2sql_eval.results r WHERE r.evaluation_id = u.evaluation_id AND r.state = 'waiting') FROM text2sql_eval.evaluations u WHERE u.evaluation_id = $1";
    let row = client.query_one(sql, &[&evaluation_id]).unwrap();
    (row.get(0), row.get(1))
}

/// Everything about the attempts but their times.
fn outcome(client: &mut Client, evaluation_id: i64) -> Vec<String> {
    let sql = "SELECT (to_jsonb(r) - '{evaluation_id,stages,milliseconds,finished_at}'::text[])::text FROM text2sql_eval.results r WHERE evaluation_id = $1 ORDER BY case_id, attempt";
    let rows = client.query(sql, &[&evaluation_id]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

#[test]
fn an_interrupted_evaluation_resumes_and_equals_an_uninterrupted_one() {
    let database = prepared("evaluation_resume");
    let mut watcher = database.analyst();
    let whole = begin(&mut watcher);
    watcher
        .batch_execute(&format!(
            "CALL text2sql_eval.evaluate(evaluation_id => {whole})"
        ))
        .unwrap();
    assert_eq!(state(&mut watcher, whole), ("done".to_owned(), 0));

    let cut = begin(&mut watcher);
    // Cancelled once, and its connection ended once.
    for ends_connection in [false, true] {
        let (_, before) = state(&mut watcher, cut);
        let mut worker = database.analyst();
        let pid: i32 = worker
            .query_one("SELECT pg_backend_pid()", &[])
            .unwrap()
            .get(0);
        let token = worker.cancel_token();
        let at_work = thread::spawn(move || {
            worker
                .batch_execute(&format!(
                    "CALL text2sql_eval.evaluate(evaluation_id => {cut})"
                ))
                .map_err(|error| error.code().map(|code| code.code().to_owned()))
        });
        let deadline = Instant::now() + Duration::from_secs(60);
        while state(&mut watcher, cut).1 > before - 3 {
            assert!(
                Instant::now() < deadline,
                "the evaluation makes no progress"
            );
            thread::sleep(Duration::from_millis(5));
        }
        if ends_connection {
            let mut admin = database.superuser();
            admin
                .execute("SELECT pg_terminate_backend($1)", &[&pid])
                .unwrap();
        } else {
            token.cancel_query(postgres::NoTls).unwrap();
        }
        let ended = at_work.join().unwrap().unwrap_err();
        match ends_connection {
            // The connection may be closed before its last message is read.
            true => assert!(
                ended.as_deref().is_none_or(|code| code == "57P01"),
                "{ended:?}"
            ),
            false => assert_eq!(ended.as_deref(), Some("57014")),
        }
        let (state, waiting) = state(&mut watcher, cut);
        assert!(
            state == "running" && waiting > 0 && waiting < before,
            "{state} {waiting}"
        );
    }
    watcher
        .batch_execute(&format!(
            "CALL text2sql_eval.evaluate(evaluation_id => {cut})"
        ))
        .unwrap();
    assert_eq!(state(&mut watcher, cut), ("done".to_owned(), 0));
    let (one, other) = (outcome(&mut watcher, whole), outcome(&mut watcher, cut));
    assert_eq!(one.len(), CASES);
    assert_eq!(one, other);
    // The orders are right; the gold of the customers counts something else, and life has no table.
    let summary = "SELECT cases, cases_right, answered FROM text2sql_eval.evaluations WHERE evaluation_id = $1";
    let row = watcher.query_one(summary, &[&cut]).unwrap();
    let (cases, right): (f64, f64) = (row.get(0), row.get(1));
    assert_eq!((cases, right), (24.0, 8.0));
}

#[test]
fn several_connections_share_an_evaluation() {
    let database = prepared("evaluation_share");
    let mut watcher = database.analyst();
    let alone = begin(&mut watcher);
    watcher
        .batch_execute(&format!(
            "CALL text2sql_eval.evaluate(evaluation_id => {alone})"
        ))
        .unwrap();
    let shared = begin(&mut watcher);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let mut worker = database.analyst();
            thread::spawn(move || {
                worker.batch_execute(&format!(
                    "CALL text2sql_eval.evaluate(evaluation_id => {shared})"
                ))
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap().unwrap();
    }
    assert_eq!(state(&mut watcher, shared), ("done".to_owned(), 0));
    assert_eq!(outcome(&mut watcher, alone), outcome(&mut watcher, shared));
}

#[test]
fn an_evaluation_needs_transactions_of_its_own() {
    let database = prepared("evaluation_block");
    let mut client = database.analyst();
    client.batch_execute("BEGIN").unwrap();
    let (code, message, _) = error_of(&mut client, "CALL text2sql_eval.evaluate('shop')");
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("2D000", "invalid transaction termination")
    );
    client.batch_execute("ROLLBACK").unwrap();
    let evaluations: i64 = client
        .query_one("SELECT count(*) FROM text2sql_eval.evaluations", &[])
        .unwrap()
        .get(0);
    assert_eq!(evaluations, 0);
}

#[test]
fn an_evaluation_of_several_engines_says_which_one_answered() {
    let reply = r#"{"status": "ok", "sql": "SELECT 42 AS n"}"#;
    let double = ModelDouble::start(Script::new().otherwise(reply)).unwrap();
    let database = TestDatabase::new("evaluation_engines");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("SELECT text2sql.grant_access('t2s_analyst', 'evaluation')")
        .unwrap();
    let mut client = database.analyst();
    client
        .batch_execute(
            "SELECT text2sql_eval.add_case('shop', 'How many orders are there?', 'SELECT count(*) FROM orders');
             SELECT text2sql_eval.add_case('shop', 'What is the meaning of life?', 'SELECT 42')",
        )
        .unwrap();
    let evaluate = "CALL text2sql_eval.evaluate('shop', settings => '{\"model\": \"builtin, m\"}')";
    client.batch_execute(evaluate).unwrap();
    let by_engine =
        "SELECT string_agg(value || ' ' || cases || ' ' || cases_right, ', ' ORDER BY value)
         FROM text2sql_eval.groups WHERE grouped_by = 'engine'";
    let by_engine: String = client.query_one(by_engine, &[]).unwrap().get(0);
    assert_eq!(by_engine, "builtin 1 1, m 1 1");
    let options = "SELECT configured -> 'models' -> 'm' ->> 'model', configured ? 'model' FROM text2sql_eval.evaluations";
    let row = client.query_one(options, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "double-1");
    // A confidence is that of one model.
    let fit = "SELECT * FROM text2sql_eval.fit_confidence(1)";
    let (code, _, hint) = error_of(&mut database.superuser(), fit);
    assert_eq!(code, "22023");
    assert!(hint.contains("alone"), "{hint}");
}
