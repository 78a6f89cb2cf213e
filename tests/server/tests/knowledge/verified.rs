//! A question that equals a verified example up to its literals needs no model; anything else does.

use model_double::{ModelDouble, Script};
use text2sql_server_tests::TestDatabase;

#[test]
fn verified_examples_answer_without_a_model() {
    let double = ModelDouble::start(
        Script::new().otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#),
    )
    .unwrap();
    let database = TestDatabase::new("verified_replay");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.accept('example', text2sql.add_example(
                 'How many customers are in Germany?',
                 'SELECT count(*) AS customers FROM customers AS k JOIN countries AS c USING (country_id) WHERE c.name = ''Germany'''));
             SELECT text2sql.accept('example', text2sql.add_example(
                 'Show the 3 largest orders',
                 'SELECT order_id, total FROM orders ORDER BY total DESC LIMIT 3'))",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut analyst = database.analyst();
    let mut ask = |question: &str| {
        let row = analyst
            .query_one(
                "SELECT status, verified_by, coalesce(result_rows::text, ''), row_count FROM text2sql.ask($1)",
                &[&question],
            )
            .unwrap();
        (
            row.get::<_, String>(0),
            row.get::<_, Option<String>>(1),
            row.get::<_, String>(2),
            row.get::<_, Option<i64>>(3),
        )
    };
    let postgres = Some("postgres".to_owned());
    let (status, verified_by, rows, _) = ask("How many customers are in Germany?");
    assert_eq!((status.as_str(), &verified_by), ("ok", &postgres));
    assert_eq!(rows, r#"[{"customers": 20}]"#);
    let (status, verified_by, rows, _) = ask("how many customers are in France");
    assert_eq!((status.as_str(), &verified_by), ("ok", &postgres));
    assert_eq!(rows, r#"[{"customers": 20}]"#);
    let (_, verified_by, _, row_count) = ask("Show the 5 largest orders");
    assert_eq!((verified_by, row_count), (postgres, Some(5)));
    assert_eq!(double.requests().len(), 0, "no model was asked");
    for (sent, question) in [
        "How many customers are in Spain?",
        "How many customers are not in Germany?",
        "How many customers are in Germany and France?",
        "Show the 3 largest orders of 2025",
    ]
    .into_iter()
    .enumerate()
    {
        let (status, verified_by, _, _) = ask(question);
        assert_eq!(
            (status.as_str(), verified_by),
            ("unanswerable", None),
            "{question}"
        );
        assert_eq!(double.requests().len(), sent + 1, "{question}");
    }
}

#[test]
fn examples_that_no_index_holds_answer_too() {
    let double = ModelDouble::start(
        Script::new().otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#),
    )
    .unwrap();
    let database = TestDatabase::new("verified_unindexed");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    let teach = "SELECT text2sql.accept('example', text2sql.add_example($1, $2))";
    let mut analyst = database.analyst();
    let mut status = |question: &str| -> String {
        let row = analyst.query_one("SELECT status FROM text2sql.ask($1)", &[&question]);
        row.unwrap().get(0)
    };
    assert_eq!(status("How many orders came?"), "unanswerable");
    // Nothing was ever indexed.
    admin
        .query(
            teach,
            &[&"How many orders came?", &"SELECT count(*) FROM orders"],
        )
        .unwrap();
    assert_eq!(status("how many orders came"), "ok");
    // And what was verified after the index was built.
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    admin
        .query(
            teach,
            &[
                &"How many countries buy?",
                &"SELECT count(*) FROM countries",
            ],
        )
        .unwrap();
    assert_eq!(status("How many countries buy?"), "ok");
    assert_eq!(status("How many orders came?"), "ok");
    // An example is invisible to a role that may not read its tables.
    admin
        .batch_execute("REVOKE SELECT ON countries FROM t2s_analyst")
        .unwrap();
    assert_ne!(status("How many countries buy?"), "ok");
}
