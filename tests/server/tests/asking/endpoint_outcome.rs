//! Effects of a question besides its rows when a model is called: a batch continues after an endpoint that
//! fails, the session caches what the endpoint supports, the model's plan is kept.

use model_double::{ModelDouble, Script};
use text2sql_server_tests::{TestDatabase, error_of};

fn script() -> Script {
    Script::new()
        .on("how many customers", [r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "There are {rows[0].n} customers."}"#])
        .otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#)
}

const QUESTION: &str = "SELECT status, answer FROM text2sql.ask('How many customers?')";

#[test]
fn a_batch_of_questions_outlives_a_failing_endpoint_and_what_is_no_question() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("batch");
    database.add_model("m", "openai", &double.base_url("status-403-then-ok"), "");
    let mut client = database.analyst();
    let batch = "SELECT a.status, a.sqlstate FROM (VALUES (1, 'How many customers?'), (2, NULL), (3, ''),
            (4, 'How many customers?')) AS q(n, text), LATERAL text2sql.ask(q.text) AS a ORDER BY q.n";
    let rows = client.query(batch, &[]).unwrap();
    let got: Vec<(&str, Option<&str>)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    let expected = [
        ("failed", Some("55000")),
        ("failed", Some("22004")),
        ("failed", Some("22023")),
        ("ok", None),
    ];
    assert_eq!(got, expected);
    // In a transaction, nothing of the failure remains.
    database
        .superuser()
        .batch_execute("DROP SERVER m CASCADE")
        .unwrap();
    database.add_model(
        "m",
        "openai",
        "http://127.0.0.1:9/v1",
        ", timeout_ms '2000'",
    );
    client
        .batch_execute("BEGIN; CREATE TEMP TABLE kept (status text)")
        .unwrap();
    let kept =
        "INSERT INTO kept SELECT status FROM text2sql.ask('How many customers?') RETURNING status";
    let row = client.query_one(kept, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "failed");
    let locks =
        "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'";
    assert_eq!(client.query_one(locks, &[]).unwrap().get::<_, i64>(0), 0);
    client.batch_execute("COMMIT").unwrap();
    let row = client.query_one("SELECT count(*) FROM kept", &[]).unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);
    // What ends the call itself still ends it.
    client
        .batch_execute("SET statement_timeout = '300ms'")
        .unwrap();
    database
        .superuser()
        .batch_execute("DROP SERVER m CASCADE")
        .unwrap();
    database.add_model("m", "openai", &double.base_url("delay-5000"), "");
    assert_eq!(error_of(&mut client, QUESTION).0, "57014");
    client.batch_execute("RESET statement_timeout").unwrap();
    let denied = "SELECT status FROM text2sql.ask('How many customers?', options => '{\"model\": \"nobody\"}')";
    assert_eq!(error_of(&mut client, denied).0, "55000");
}

#[test]
fn what_an_endpoint_does_while_a_query_is_revised_is_a_row_too() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("revise_fails");
    database.add_model("m", "openai", &double.base_url("status-401"), "");
    let row = database
        .analyst()
        .query_one(
            "SELECT status, answer FROM text2sql.revise('SELECT name FROM customers', 'only five')",
            &[],
        )
        .unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, &str>(1)),
        (
            "failed",
            "the endpoint of server \"m\" refused the key (401)"
        )
    );
}

#[test]
fn a_model_that_wants_max_completion_tokens_gets_them_and_the_session_remembers() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("completion_tokens");
    database.add_model(
        "m",
        "openai",
        &double.base_url("no-max-tokens"),
        ", max_output_tokens '900'",
    );
    let mut client = database.analyst();
    for _ in 0..2 {
        let row = client.query_one(QUESTION, &[]).unwrap();
        assert_eq!(row.get::<_, &str>(0), "ok");
    }
    let bodies: Vec<_> = double
        .requests()
        .into_iter()
        .map(|request| request.body)
        .collect();
    assert_eq!(bodies.len(), 3, "refused once");
    assert_eq!(bodies[0]["max_tokens"], 900);
    assert!(
        bodies[1..]
            .iter()
            .all(|body| body["max_completion_tokens"] == 900)
    );
}

#[test]
fn the_plan_of_a_model_is_in_the_trace() {
    let reply = r#"{"plan": "count the customers", "sql": "SELECT count(*) AS n FROM customers"}"#;
    let double = ModelDouble::start(Script::new().on("how many customers", [reply])).unwrap();
    let database = TestDatabase::new("plan_kept");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut client = database.analyst();
    client
        .batch_execute("SET text2sql.tuning = '{\"strategy\": \"chain_of_thought\"}'")
        .unwrap();
    let asked = "SELECT trace_id::text FROM text2sql.ask('How many customers?')";
    let trace: String = client.query_one(asked, &[]).unwrap().get(0);
    // The history's own column, too.
    for stages in [
        "SELECT output->>'plan' FROM text2sql.trace($1::text::uuid) WHERE stage = 'generate'",
        "SELECT s->'output'->>'plan' FROM text2sql.history, json_array_elements(stages) AS s
          WHERE trace_id = $1::text::uuid AND s->>'stage' = 'generate'",
    ] {
        let plan = client.query_one(stages, &[&trace]).unwrap();
        assert_eq!(plan.get::<_, &str>(0), "count the customers");
    }
    let asks_for_plan = |request: &model_double::RecordedRequest| {
        let asked = request.body["messages"][1]["content"].as_str().unwrap();
        let schema = &request.body["response_format"]["json_schema"]["schema"];
        (
            asked.contains("\"plan\""),
            schema["properties"].get("plan").is_some(),
        )
    };
    assert_eq!(
        asks_for_plan(double.requests().last().unwrap()),
        (true, true)
    );
    client
        .batch_execute("SET text2sql.tuning = '{\"strategy\": \"direct\"}'")
        .unwrap();
    client.query_one(QUESTION, &[]).unwrap();
    assert_eq!(
        asks_for_plan(double.requests().last().unwrap()),
        (false, false)
    );
}
