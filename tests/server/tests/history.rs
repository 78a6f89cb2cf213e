//! What left the server is on record: names, columns with values, prompts by hash or word for word,
//! tokens against a budget, also when the caller takes his transaction back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

use model_double::{ModelDouble, Script};
use text2sql_server_tests::{TestDatabase, error_of};

fn script() -> Script {
    Script::new()
        .on("how many customers", [r#"{"status": "ok", "sql": "SELECT count(*) AS n FROM customers", "sentence": "There are {rows[0].n} customers."}"#])
        .on("broken first", [r#"{"sql": "SELECT count(*) FROM custmers"}"#, r#"{"sql": "SELECT count(*) AS n FROM customers"}"#])
        .otherwise(r#"{"status": "unanswerable", "missing": ["everything"]}"#)
}

const QUESTION: &str = "SELECT status FROM text2sql.ask('How many customers?')";

#[test]
fn the_egress_log_tells_what_left() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("egress_log");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut analyst = database.analyst();
    analyst.query_one(QUESTION, &[]).unwrap();
    analyst
        .query_one("SELECT status FROM text2sql.ask('Broken first')", &[])
        .unwrap();
    let rows = analyst
        .query(
            "SELECT e.endpoint, e.purpose, e.tables, e.value_columns, e.result_rows, e.prompt,
                    e.characters, e.prompt_sha256, h.question
             FROM text2sql.egress_log AS e JOIN text2sql.history AS h USING (trace_id) ORDER BY egress_id",
            &[],
        )
        .unwrap();
    let purposes: Vec<&str> = rows.iter().map(|row| row.get("purpose")).collect();
    assert_eq!(purposes, ["generate", "generate", "repair"]);
    let first = &rows[0];
    assert_eq!(first.get::<_, &str>("endpoint"), "m");
    assert_eq!(
        first.get::<_, Vec<String>>("tables"),
        ["countries", "customers", "orders"],
        "no salaries: the analyst may not read them"
    );
    let value_columns: Vec<String> = first.get("value_columns");
    assert!(value_columns.contains(&"countries.name".to_owned()));
    assert!(
        !value_columns.contains(&"customers.mail".to_owned()),
        "addresses look private and never leave"
    );
    assert_eq!(first.get::<_, i64>("result_rows"), 0);
    assert_eq!(first.get::<_, Option<String>>("prompt"), None);
    assert_eq!(first.get::<_, &str>("prompt_sha256").len(), 64);
    assert_eq!(first.get::<_, &str>("question"), "How many customers?");
}

#[test]
fn prompts_are_kept_word_for_word_on_request() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("history_prompts");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("ALTER DATABASE t2s_history_prompts SET text2sql.history_prompts = on")
        .unwrap();
    let mut analyst = database.analyst();
    analyst.query_one(QUESTION, &[]).unwrap();
    let row = analyst
        .query_one(
            "SELECT prompt, reply, encode(sha256(convert_to(prompt, 'UTF8')), 'hex') = prompt_sha256
             FROM text2sql.egress_log",
            &[],
        )
        .unwrap();
    let sent = double.requests()[0].body.clone();
    let user_turn = sent["messages"][1]["content"].as_str().unwrap();
    assert!(row.get::<_, &str>(0).ends_with(user_turn));
    assert!(row.get::<_, &str>(1).contains("SELECT count(*) AS n"));
    assert!(row.get::<_, bool>(2));
}

#[test]
fn no_row_value_is_on_record() {
    let double = ModelDouble::start(
        Script::new()
            .on("who", [r#"{"sql": "SELECT name FROM customers WHERE customer_id = 7", "sentence": "It is {rows[0].name}."}"#])
            .on("bad cast", [r#"{"sql": "SELECT name::integer AS n FROM customers WHERE customer_id = 7"}"#]),
    )
    .unwrap();
    let database = TestDatabase::new("history_values");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let row = analyst
        .query_one("SELECT answer FROM text2sql.ask('Who is it?')", &[])
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "It is customer 7.");
    let failed = analyst
        .query_one("SELECT status, answer FROM text2sql.ask('Bad cast')", &[])
        .unwrap();
    assert_eq!(failed.get::<_, &str>(0), "failed");
    assert!(failed.get::<_, &str>(1).contains("customer 7"));
    let row = analyst
        .query_one(
            "SELECT count(*), count(*) FILTER (WHERE h::text LIKE '%customer 7%') FROM text2sql.history AS h",
            &[],
        )
        .unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (2, 0));
}

#[test]
fn tokens_count_past_a_rollback() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("token_budget");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("SELECT text2sql.set_budget('t2s_analyst', tokens_per_day => 1)")
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute(&format!("BEGIN; {QUESTION}; ROLLBACK"))
        .unwrap();
    let count: i64 = analyst
        .query_one("SELECT count(*) FROM text2sql.history", &[])
        .unwrap()
        .get(0);
    assert_eq!(count, 0, "the record went with the transaction");
    let (code, message, hint) = error_of(&mut analyst, QUESTION);
    assert_eq!(code, "54000");
    assert_eq!(
        message,
        "the budget of role t2s_analyst is used up: 1 tokens a day"
    );
    assert!(hint.contains("text2sql.set_budget('t2s_analyst', tokens_per_day"));
    assert_eq!(
        double.requests().len(),
        1,
        "nothing was sent for the second"
    );
}

#[test]
fn a_reply_with_a_nul_is_on_record() {
    let double = ModelDouble::start(Script::new().otherwise(
        r#"{"status": "ok", "sql": "SELECT 1 AS one -- a\u0000b", "sentence": "o\u0000ne", "assumptions": ["x\u0000 \\u0000"]}"#,
    ))
    .unwrap();
    let database = TestDatabase::new("history_nul");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    for conversation in [None, Some("\\u0000")] {
        let row = analyst
            .query_one(
                "SELECT a.status, count(h.*) FROM text2sql.ask('How many orders \\u0000?', conversation => $1) AS a
                 LEFT JOIN text2sql.history AS h ON false GROUP BY 1",
                &[&conversation],
            )
            .unwrap();
        assert!(!row.get::<_, String>(0).is_empty());
    }
    let kept: i64 = analyst
        .query_one(
            "SELECT count(*) FROM text2sql.history WHERE stages::text LIKE '%x %'",
            &[],
        )
        .unwrap()
        .get(0);
    assert_eq!(kept, 2);
}
