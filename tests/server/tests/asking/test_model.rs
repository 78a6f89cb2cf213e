//! `test_model`: one small request to a model, whether the endpoint behaves or not.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

/// Whether the model works, with SQLSTATE, problem and hint.
fn tested(client: &mut Client, model: &str) -> (bool, String, String, String) {
    let row = client
        .query_one(
            "SELECT works, coalesce(sqlstate, ''), coalesce(problem, ''), coalesce(hint, ''), milliseconds
               FROM text2sql.test_model($1)",
            &[&model],
        )
        .unwrap();
    assert!(row.get::<_, f64>(4) >= 0.0);
    (row.get(0), row.get(1), row.get(2), row.get(3))
}

#[test]
fn a_model_that_works_and_what_left_for_it() {
    let double = ModelDouble::start(Script::new().otherwise(r#"{"answer": "ok"}"#)).unwrap();
    let database = TestDatabase::new("test_model");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database.add_model(
        "claude",
        "anthropic",
        &double.base_url("ok"),
        ", egress 'values'",
    );
    let mut analyst = database.analyst();
    for (model, egress) in [("m", "schema"), ("claude", "values")] {
        let row = analyst
            .query_one(
                "SELECT works, egress, problem FROM text2sql.test_model($1)",
                &[&model],
            )
            .unwrap();
        assert_eq!(
            (row.get(0), row.get(1), row.get(2)),
            (true, egress, None::<&str>)
        );
    }
    let requests = double.requests();
    assert_eq!(requests.len(), 2);
    let sent = serde_json::to_string(&requests[0].body).unwrap();
    assert!(
        !sent.contains("customers"),
        "nothing of the database: {sent}"
    );
    let row = analyst
        .query_one(
            "SELECT count(*), bool_and(e.purpose = 'test'), bool_and(e.tables = '{}'), bool_and(h.function = 'test_model'),
                    bool_and(h.status = 'ok')
               FROM text2sql.egress_log AS e JOIN text2sql.history AS h USING (trace_id)",
            &[],
        )
        .unwrap();
    let all: Vec<bool> = (1..5).map(|n| row.get(n)).collect();
    assert_eq!((row.get::<_, i64>(0), all), (2, vec![true; 4]));
}

#[test]
fn each_failure_is_a_row_that_says_what_to_do() {
    let double = ModelDouble::start(Script::new().otherwise("ok")).unwrap();
    let database = TestDatabase::new("test_model_fails");
    for (model, path) in [
        ("html", "html"),
        ("gone", "hang-up"),
        ("forbidden", "status-401"),
        ("slow", "delay-60000"),
    ] {
        database.add_model(
            model,
            "openai",
            &double.base_url(path),
            ", timeout_ms '1000'",
        );
    }
    let mut analyst = database.analyst();
    for (model, expected) in [
        ("html", "38000"),
        ("gone", "08006"),
        ("forbidden", "55000"),
        ("slow", "08006"),
    ] {
        let (works, sqlstate, problem, hint) = tested(&mut analyst, model);
        assert_eq!(
            (works, sqlstate.as_str()),
            (false, expected),
            "{model}: {problem}"
        );
        assert!(!problem.is_empty() && !hint.is_empty(), "{model}");
    }
    // The request has left the server.
    let row = analyst
        .query_one(
            "SELECT count(*) FROM text2sql.history WHERE status = 'failed'",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, i64>(0), 4);
    let (code, _, _) = error_of(&mut analyst, "SELECT * FROM text2sql.test_model('nowhere')");
    assert_eq!(code, "42704");
}

#[test]
fn it_counts_against_budgets_and_works_where_nothing_can_be_written() {
    let double = ModelDouble::start(Script::new().otherwise(r#"{"answer": "ok"}"#)).unwrap();
    let database = TestDatabase::new("test_model_budget");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    analyst.batch_execute("BEGIN READ ONLY").unwrap();
    assert!(tested(&mut analyst, "m").0);
    analyst.batch_execute("COMMIT").unwrap();
    database
        .superuser()
        .batch_execute(&format!(
            "SELECT text2sql.set_budget('{ANALYST}', questions_per_day => 1)"
        ))
        .unwrap();
    assert!(tested(&mut analyst, "m").0);
    let (works, sqlstate, problem, hint) = tested(&mut analyst, "m");
    assert_eq!((works, sqlstate.as_str()), (false, "54000"), "{problem}");
    assert!(hint.contains("set_budget"), "{hint}");
    assert_eq!(double.requests().len(), 2);
}
