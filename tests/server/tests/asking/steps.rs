//! A plan of dependent steps over real HTTP: each step through the guard, the results joined in the server,
//! rows in a prompt only at egress `rows`.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;

const PLAN: &str = r#"{"status": "ok", "sql": null, "steps": [
    {"question": "the country with the most customers", "sql": "SELECT country_id, max(mail) AS mail FROM customers GROUP BY country_id ORDER BY count(*) DESC, country_id LIMIT 1"},
    {"question": "its orders", "sql": null}], "assumptions": ["the first of equals"]}"#;
const LAST: &str = r#"{"status": "ok", "sql": "WITH own AS (SELECT customer_id FROM customers JOIN step_1 USING (country_id)) SELECT count(*) AS orders FROM orders JOIN own USING (customer_id)", "sentence": "{rows[0].orders} orders."}"#;

fn start(test: &str, egress: &str, replies: &[&str]) -> (ModelDouble, TestDatabase, Client) {
    let rule =
        serde_json::json!([{"match": "how many orders", "sequence": true, "replies": replies}]);
    let double = ModelDouble::start(Script::from_json(&rule.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new(test);
    let option = format!(", egress '{egress}'");
    database.add_model("m", "openai", &double.base_url("ok"), &option);
    let analyst = database.analyst();
    (double, database, analyst)
}

const ASK: &str = "SELECT status, answer, sql, result_rows::text, warnings FROM text2sql.ask('How many orders has the country with the most customers?')";

#[test]
fn results_stay_in_the_server() {
    let (double, _database, mut analyst) = start("steps", "values", &[PLAN, LAST]);
    let row = analyst.query_one(ASK, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    assert_eq!(row.get::<_, &str>(1), "200 orders.");
    assert!(
        row.get::<_, &str>(2)
            .starts_with("WITH step_1 AS (\nSELECT country_id")
    );
    assert_eq!(row.get::<_, &str>(3), r#"[{"orders": 200}]"#);
    let warnings: Vec<String> = row.get(4);
    assert_eq!(
        warnings,
        [
            "the first of equals",
            "step_1: the country with the most customers, 1 row"
        ]
    );
    let requests = double.requests();
    assert_eq!(requests.len(), 2);
    let last = requests[1].body["messages"].as_array().unwrap();
    let turn = last[last.len() - 1]["content"].as_str().unwrap();
    assert!(
        turn.contains("columns country_id integer, mail text"),
        "{turn}"
    );
    assert!(
        !turn.contains("example.org") && !turn.contains("[1"),
        "{turn}"
    );
    let stages: Vec<String> = analyst
        .query(
            "SELECT t.stage FROM text2sql.history h, text2sql.trace(h.trace_id) t WHERE t.stage = 'execute'",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(stages.len(), 2, "each step is on record");
}

#[test]
fn rows_go_out_where_they_may_and_are_on_record() {
    let (double, _database, mut analyst) = start("steps_rows", "rows", &[PLAN, LAST]);
    assert_eq!(analyst.query_one(ASK, &[]).unwrap().get::<_, &str>(0), "ok");
    let requests = double.requests();
    let last = requests[1].body["messages"].to_string();
    assert!(last.contains("(1 rows, all there are)"), "{last}");
    assert!(
        !last.contains("example.org"),
        "an address never leaves: {last}"
    );
    let shown: Vec<i64> = analyst
        .query(
            "SELECT result_rows FROM text2sql.egress_log ORDER BY egress_id",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(shown, [0, 1]);
}

#[test]
fn a_step_is_guarded_and_repaired_by_itself() {
    let refused =
        r#"{"status": "ok", "sql": "SELECT max(salary) AS salary FROM salaries, step_1"}"#;
    let (double, database, mut analyst) = start("steps_guard", "schema", &[PLAN, refused, LAST]);
    let row = analyst.query_one(ASK, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    let requests = double.requests();
    assert_eq!(requests.len(), 3);
    let turn = requests[2].body["messages"].to_string();
    assert!(
        turn.contains("step 2 of 2: PostgreSQL says: relation")
            && !turn.contains("permission denied"),
        "{turn}"
    );
    // Typed rows are those of the last step.
    drop(row);
    let double = ModelDouble::start(Script::new().otherwise(
        r#"{"sql": null, "steps": [{"question": "a", "sql": "SELECT 1 AS a"}, {"question": "b", "sql": "SELECT a + 1 AS b FROM step_1"}]}"#,
    ))
    .unwrap();
    let mut admin = database.superuser();
    admin
        .batch_execute(&format!(
            "ALTER SERVER m OPTIONS (SET base_url '{}')",
            double.base_url("ok")
        ))
        .unwrap();
    let row = analyst
        .query_one(
            "SELECT * FROM text2sql.ask_rows('In steps') AS t(b integer)",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, i32>(0), 2);
    // As one statement, for a review and for a view.
    let sql: String = analyst
        .query_one("SELECT text2sql.to_sql('In steps')", &[])
        .unwrap()
        .get(0);
    assert_eq!(
        sql,
        "WITH step_1 AS (\nSELECT 1 AS a\n)\nSELECT a + 1 AS b FROM step_1"
    );
}

#[test]
fn a_step_that_varies_is_refused() {
    let by_chance = r#"{"sql": null, "steps": [
        {"question": "one customer", "sql": "SELECT customer_id FROM customers ORDER BY random() LIMIT 1"},
        {"question": "its orders", "sql": "SELECT count(*) AS orders FROM orders JOIN step_1 USING (customer_id)"}]}"#;
    let sampled = by_chance.replace(
        "customers ORDER BY random() LIMIT 1",
        "customers TABLESAMPLE BERNOULLI (50)",
    );
    let fixed = r#"{"sql": "SELECT count(*) AS orders FROM orders"}"#;
    for (name, plan, cause) in [
        (
            "steps_varies",
            by_chance,
            "it gives other rows each time it runs (random()",
        ),
        (
            "steps_sample",
            &sampled,
            "it gives other rows each time it runs (TABLESAMPLE",
        ),
    ] {
        let (double, _database, mut analyst) = start(name, "schema", &[plan, fixed]);
        let row = analyst.query_one(ASK, &[]).unwrap();
        assert_eq!(row.get::<_, &str>(0), "ok");
        let turn = double.requests()[1].body["messages"].to_string();
        assert!(turn.contains(cause), "{turn}");
    }
    // The time of a transaction does not change.
    let today = by_chance.replace("ORDER BY random() LIMIT 1", "WHERE now() IS NOT NULL");
    let (_double, _database, mut analyst) = start("steps_now", "schema", &[&today]);
    let row = analyst.query_one(ASK, &[]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
}
