//! Feedback on an answer changes the next one: once a curator has verified it, it is in the
//! prompt of a similar question, and answers one that asks the same.

use model_double::{ModelDouble, Script};
use text2sql_server_tests::{TestDatabase, error_of};

const WRONG: &str = r#"{"sql": "SELECT count(*) AS customers FROM customers"}"#;
const CORRECTED: &str = "SELECT count(DISTINCT customer_id) AS customers FROM orders";

#[test]
fn a_correction_changes_the_next_answer() {
    let double = ModelDouble::start(Script::new().otherwise(WRONG)).unwrap();
    let database = TestDatabase::new("feedback");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut analyst = database.analyst();
    // The reply is always the same, so that a repair would only be one more request.
    analyst
        .batch_execute(r#"SET text2sql.tuning = '{"repair_on": "errors"}'"#)
        .unwrap();
    let question = "How many customers have bought something?";
    let ask = "SELECT result_rows::text, verified_by, trace_id::text FROM text2sql.ask($1)";
    let row = analyst.query_one(ask, &[&question]).unwrap();
    assert_eq!(row.get::<_, &str>(0), r#"[{"customers": 40}]"#);
    let trace_id: String = row.get(2);
    let example: i64 = analyst
        .query_one(
            "SELECT text2sql.add_feedback($1::text::uuid, 'wrong', $2, 'who never ordered is none')",
            &[&trace_id, &CORRECTED],
        )
        .unwrap()
        .get(0);
    // It is stored, but not yet used.
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    analyst.query_one(ask, &[&question]).unwrap();
    let prompts = |count: usize| {
        let requests = double.requests();
        assert_eq!(requests.len(), count);
        requests[count - 1].body["messages"].to_string()
    };
    assert!(!prompts(2).contains(CORRECTED));
    let row = admin
        .query_one(
            "SELECT given_by::text, question, corrected_sql, comment, status FROM text2sql.feedback",
            &[],
        )
        .unwrap();
    let texts: Vec<&str> = (0..5).map(|n| row.get(n)).collect();
    assert_eq!(
        texts,
        [
            "t2s_analyst",
            question,
            CORRECTED,
            "who never ordered is none",
            "waiting"
        ]
    );
    admin
        .execute("SELECT text2sql.accept('example', $1)", &[&example])
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    // A similar question has it in its prompt.
    analyst
        .query_one(
            ask,
            &[&"How many customers have bought something for more than 300?"],
        )
        .unwrap();
    assert!(prompts(3).contains(CORRECTED), "{}", prompts(3));
    // The same question needs no model.
    let row = analyst.query_one(ask, &[&question]).unwrap();
    assert_eq!(row.get::<_, Option<&str>>(1), Some("postgres"));
    assert_eq!(double.requests().len(), 3);
    // What was verified can be corrected in turn: the newer one answers.
    let better = "SELECT count(DISTINCT customer_id) AS customers FROM orders WHERE total > 0";
    let trace_id: String = row.get(2);
    let correct =
        "SELECT text2sql.accept('example', text2sql.add_feedback($1::text::uuid, 'wrong', $2))";
    admin.execute(correct, &[&trace_id, &better]).unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let row = analyst
        .query_one(
            "SELECT sql, verified_by FROM text2sql.ask($1)",
            &[&question],
        )
        .unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, Option<&str>>(1)),
        (better, Some("postgres"))
    );
    assert_eq!(double.requests().len(), 3);
}

#[test]
fn only_what_is_on_record_can_be_spoken_about() {
    let double = ModelDouble::start(Script::new().otherwise(WRONG)).unwrap();
    let database = TestDatabase::new("feedback_record");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("ALTER DATABASE t2s_feedback_record SET text2sql.enable_history = off")
        .unwrap();
    let mut analyst = database.analyst();
    let trace_id: String = analyst
        .query_one("SELECT trace_id::text FROM text2sql.ask('How many?')", &[])
        .unwrap()
        .get(0);
    let (code, message, hint) = error_of(
        &mut analyst,
        &format!("SELECT text2sql.add_feedback('{trace_id}', 'right')"),
    );
    assert_eq!(code, "42704");
    assert_eq!(
        message,
        format!("question {trace_id} is not in the history, or belongs to another role")
    );
    assert!(hint.contains("text2sql.enable_history = on"), "{hint}");
}
