//! `text2sql-server ask`, and SQL for a schema that is not in the database over HTTP.

use model_double::{ModelDouble, Script};
use serde_json::{Value, json};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::web::{Server, person, stranger};

#[test]
fn one_question_is_answered_from_a_shell() {
    let database = TestDatabase::new("web_shell");
    let (ana, nobody) = (person(&database, "ana"), stranger(&database, "nobody"));
    let ask = |arguments: &[&str]| Server::ask(&database, &ana, arguments);

    let (lines, code) = ask(&["--model", "builtin", "How many customers are there?"]);
    assert_eq!(code, Some(0), "{lines}");
    assert!(lines.contains("There are 40 customers."), "{lines}");
    assert!(lines.contains("SELECT count(*)"), "{lines}");

    // Without quotes, and as one object.
    let (row, code) = ask(&[
        "--json",
        "--model",
        "builtin",
        "How",
        "many",
        "customers",
        "are",
        "there?",
    ]);
    let row: Value = serde_json::from_str(&row).expect("one object");
    assert_eq!(
        (code, &row["result_rows"]),
        (Some(0), &json!([{"customers": 40}]))
    );

    // No answer has another exit code than a failure.
    let (lines, code) = ask(&["--model", "builtin", "How many unicorns are there?"]);
    assert_eq!(code, Some(2), "{lines}");
    assert!(lines.starts_with("status: "), "{lines}");
    let (row, code) = ask(&[
        "--json",
        "--model",
        "builtin",
        "How many unicorns are there?",
    ]);
    let row: Value = serde_json::from_str(&row).expect("one object");
    assert_eq!((code, &row["status"]), (Some(2), &json!("unanswerable")));

    let (lines, code) = ask(&[
        "--conversation",
        "shell",
        "--model",
        "builtin",
        "How many customers are there?",
    ]);
    assert_eq!(code, Some(0), "{lines}");
    let (lines, code) = ask(&[
        "--conversation",
        "shell",
        "--model",
        "builtin",
        "per country",
    ]);
    assert_eq!(code, Some(0), "{lines}");

    let (refused, code) = Server::ask(&database, &nobody, &["How many customers are there?"]);
    assert_eq!(code, Some(1), "{refused}");
    assert!(refused.starts_with("error: permission denied"), "{refused}");
    let (refused, code) = ask(&[" "]);
    assert_eq!(
        (code, refused.lines().next()),
        (Some(1), Some("error: no question is asked"))
    );
}

#[test]
fn sql_for_a_schema_that_came_with_the_question() {
    let script = Script::new().otherwise(
        json!({"sql": "SELECT count(*) FROM bills", "plan": "Count the rows."}).to_string(),
    );
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("web_generate");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let ana = person(&database, "ana");
    let server = Server::start(&database, &[]);
    let generate = |body: Value| {
        server
            .post("/api/v1/generate-sql", body)
            .as_role(&ana)
            .send()
    };

    let tables = json!({"tables": {"bills": {"id": "integer", "total": "number"}}});
    let asked = json!({"question": "How many bills are there?", "schema": tables, "dialect": "sqlite", "task_id": "a-1"});
    let row = generate(asked).of_status(200);
    assert_eq!(row["sql"], "SELECT count(*) FROM bills");
    assert_eq!(
        (&row["status"], &row["task_id"]),
        (&json!("ok"), &json!("a-1"))
    );
    assert!(row["reasoning"].is_string(), "{row}");
    let ddl = json!({"question": "How many bills are there?", "schema_ddl": "CREATE TABLE bills (id int)"});
    assert_eq!(generate(ddl).of_status(200)["status"], "ok");

    let none = json!({"question": "How many bills are there?"});
    assert!(generate(none).problem(400).contains("no schema"));
    generate(json!({"question": " ", "schema_ddl": "x"})).problem(400);
    server
        .post(
            "/api/v1/generate-sql",
            json!({"question": "How many?", "schema_ddl": "x"}),
        )
        .send()
        .problem(401);
}
