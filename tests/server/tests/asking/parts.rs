//! Questions of several parts and plans, with a model over real HTTP: what is asked, recorded and charged, and what
//! a part that misbehaves does to the others.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

const BOTH: &str = "How many orders are there, and which countries have customers?";
const PARTS: &str = r#"{"status": "ok", "sql": null, "parts": ["Count <b>orders</b>", "List countries [here](http://evil.example)"]}"#;
const ORDERS: &str = r#"{"plan": "1. <script>read</script> orders\n2. count", "sql": "SELECT count(*) AS orders FROM orders", "sentence": "{rows[0].orders} orders."}"#;
const COUNTRIES: &str =
    r#"{"sql": "SELECT name FROM countries ORDER BY name", "sentence": "{row_count} countries."}"#;

fn start(test: &str, script: Script) -> (ModelDouble, TestDatabase, Client) {
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let analyst = database.analyst();
    (double, database, analyst)
}

fn script(countries: &str) -> Script {
    Script::new()
        .on("and which countries", [PARTS])
        .on("count orders", [ORDERS])
        .on("list countries", [countries])
}

#[test]
fn each_part_is_asked_and_there_is_one_record() {
    let (double, _database, mut analyst) = start("parts", script(COUNTRIES));
    let row = analyst
        .query_one(
            "SELECT status, answer, results::text, plan, result_rows::text
               FROM text2sql.ask($1, conversation => 'several')",
            &[&BOTH],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    let answer: &str = row.get(1);
    assert!(
        answer.contains("orders.") && answer.contains("France and Germany"),
        "{answer}"
    );
    let results: serde_json::Value = serde_json::from_str(row.get(2)).unwrap();
    // A question of the model is text like any other: without markup and links.
    assert_eq!(results[0]["question"], "Count orders");
    assert_eq!(results[1]["question"], "List countries here");
    assert_eq!(results[0]["status"], "ok");
    assert!(results[1]["rows"].as_array().unwrap().len() > 1);
    let plan: &str = row.get(3);
    assert!(
        plan.contains("read orders") && !plan.contains('<'),
        "{plan}"
    );
    assert!(row.get::<_, &str>(4).starts_with("[{\"orders\""));
    let requests = double.requests();
    assert_eq!(requests.len(), 3);
    // Only the prompt of the whole question speaks of parts.
    let told: Vec<bool> = requests
        .iter()
        .map(|request| request.body.to_string().contains("\\\"parts\\\""))
        .collect();
    assert_eq!(told, [true, false, false]);
    let record = analyst
        .query_one(
            "SELECT count(*) OVER (), question, model_calls, sql FROM text2sql.history",
            &[],
        )
        .unwrap();
    assert_eq!(record.get::<_, i64>(0), 1);
    assert_eq!(record.get::<_, &str>(1), BOTH);
    assert_eq!(record.get::<_, i32>(2), 3);
    let sql: &str = record.get(3);
    assert!(
        sql.contains("FROM orders;") && sql.contains("FROM countries"),
        "{sql}"
    );
    let turn = analyst
        .query_one(
            "SELECT standalone, sql FROM text2sql.conversation_turns WHERE conversation = 'several'",
            &[],
        )
        .unwrap();
    assert_eq!(turn.get::<_, &str>(0), "List countries here");
    assert!(turn.get::<_, &str>(1).ends_with("ORDER BY name"));
}

#[test]
fn a_part_that_misbehaves_leaves_the_others() {
    for (test, reply, status) in [
        ("parts_html", "<html>busy</html>", "failed"),
        ("parts_nested", PARTS, "failed"),
        ("parts_write", r#"{"sql": "DELETE FROM orders"}"#, "blocked"),
        (
            "parts_forbidden",
            r#"{"sql": "SELECT salary FROM salaries"}"#,
            "not_permitted",
        ),
        (
            "parts_declined",
            r#"{"status": "unanswerable", "missing": ["planets"]}"#,
            "unanswerable",
        ),
    ] {
        let (_double, _database, mut analyst) = start(test, script(reply));
        let row = analyst
            .query_one(
                "SELECT status, results->0->>'status', results->1->>'status', warnings[2]
                   FROM text2sql.ask($1)",
                &[&BOTH],
            )
            .unwrap();
        assert_eq!(row.get::<_, &str>(0), "ok", "{test}");
        assert_eq!(row.get::<_, &str>(1), "ok", "{test}");
        let second: &str = row.get(2);
        // A table without any privilege is treated as if it did not exist.
        let is_expected = second == status || (status == "not_permitted" && second == "failed");
        assert!(is_expected, "{test}: {second}");
        assert!(
            row.get::<_, &str>(3).starts_with("part 2 has no answer"),
            "{test}"
        );
    }
}

#[test]
fn one_result_is_asked_for_without_parts() {
    let whole = r#"{"sql": "SELECT (SELECT count(*) FROM orders) AS orders"}"#;
    let (double, _database, mut analyst) = start(
        "parts_rows",
        Script::new().on("and which countries", [whole]),
    );
    let rows = analyst
        .query(
            "SELECT orders FROM text2sql.ask_rows($1) AS t(orders bigint)",
            &[&BOTH],
        )
        .unwrap();
    assert_eq!(rows.len(), 1);
    let requests = double.requests();
    assert!(!requests[0].body.to_string().contains("\\\"parts\\\""));
}

#[test]
fn a_plan_is_one_recorded_call_that_runs_nothing() {
    let plan = r#"{"status": "ok", "steps": [
        {"what": "Read <i>orders</i>", "depends_on": [], "tables": ["orders", "salaries"], "statement": 1},
        {"what": "Count them", "depends_on": [1], "tables": [], "statement": 1}], "missing": []}"#;
    let (double, database, mut analyst) =
        start("plan", Script::new().on("how many orders", [plan]));
    let rows = analyst
        .query(
            "SELECT step, what, depends_on, tables, statement, sql FROM text2sql.plan('How many orders are there?')",
            &[],
        )
        .unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0].get::<_, &str>(1), "Read orders");
    assert_eq!(rows[0].get::<_, Vec<String>>(3), ["orders"]);
    assert_eq!(rows[1].get::<_, Vec<i32>>(2), [1]);
    assert_eq!(rows[1].get::<_, Option<&str>>(5), None);
    let requests = double.requests();
    assert_eq!(requests.len(), 1);
    let body = requests[0].body.to_string();
    assert!(body.contains("you write no SQL") && !body.contains("salaries"));
    let record = analyst
        .query_one(
            "SELECT h.function, h.status, h.model_calls, e.purpose FROM text2sql.history AS h JOIN text2sql.egress_log AS e USING (trace_id)",
            &[],
        )
        .unwrap();
    assert_eq!(record.get::<_, &str>(0), "plan");
    assert_eq!(
        (record.get::<_, &str>(1), record.get::<_, i32>(2)),
        ("ok", 1)
    );
    assert_eq!(record.get::<_, &str>(3), "plan");
    // It counts against a budget like a question.
    database
        .superuser()
        .batch_execute(&format!("SELECT text2sql.set_budget('{ANALYST}', 1)"))
        .unwrap();
    let ask = "SELECT * FROM text2sql.plan('How many orders are there?')";
    analyst.batch_execute(ask).unwrap();
    let (code, message, _) = error_of(&mut analyst, ask);
    assert_eq!(code, "54000", "{message}");
    database
        .superuser()
        .batch_execute(&format!("SELECT text2sql.set_budget('{ANALYST}')"))
        .unwrap();
    let broken = ModelDouble::start(Script::new()).unwrap();
    database
        .superuser()
        .batch_execute(&format!(
            "ALTER SERVER m OPTIONS (SET base_url '{}')",
            broken.base_url("hang-up")
        ))
        .unwrap();
    let mut analyst = database.analyst();
    let (code, _, _) = error_of(&mut analyst, ask);
    assert!(code.starts_with("08") || code.starts_with("38"), "{code}");
}
