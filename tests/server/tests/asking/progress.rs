//! What a program receives while a question runs: NOTICEs with an SQLSTATE of their own and JSON as DETAIL.

use std::sync::mpsc::Receiver;

use model_double::{ModelDouble, Script};
use postgres::Client;
use postgres::error::DbError;
use serde_json::{Value, json};
use text2sql_server_tests::crashes::LogFromNow;
use text2sql_server_tests::{ANALYST, TestDatabase, connect_noticing};

const QUESTION: &str = "SELECT trace_id::text, status FROM text2sql.ask('broken first')";
const REPAIRED: &str = "SELECT count(*) AS n FROM customers WHERE name <> 'Zoë 売'";

fn script() -> Script {
    let broken = json!({"sql": "SELECT count(*) FROM custmers"}).to_string();
    let repaired = json!({"sql": REPAIRED}).to_string();
    Script::new().on("broken first", [broken.as_str(), repaired.as_str()])
}

/// A session of that role, or of the superuser, with progress, and what it receives.
fn listening(database: &str, role: Option<&str>) -> (Client, Receiver<DbError>) {
    let (sender, notices) = std::sync::mpsc::channel();
    let listener = move |notice| sender.send(notice).unwrap_or_default();
    let mut client = connect_noticing(database, role, listener);
    client
        .batch_execute("SET text2sql.enable_progress = on")
        .unwrap();
    (client, notices)
}

/// What was reported: the DETAIL of each stage.
fn reports(notices: &Receiver<DbError>) -> Vec<Value> {
    let progress = notices
        .try_iter()
        .filter(|notice| notice.code().code() == "T2S01");
    progress
        .map(|notice| serde_json::from_str(notice.detail().expect("a DETAIL")).expect("JSON"))
        .collect()
}

fn of_stage<'a>(reports: &'a [Value], stage: &str) -> Vec<&'a Value> {
    let all = reports.iter();
    all.filter(|report| report["stage"] == stage).collect()
}

#[test]
fn each_stage_is_a_notice_with_what_is_known() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("progress_detail");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let (mut client, notices) = listening("t2s_progress_detail", Some(ANALYST));
    let row = client.query_one(QUESTION, &[]).unwrap();
    let (trace_id, status): (String, String) = (row.get(0), row.get(1));
    assert_eq!(status, "ok");
    let told = reports(&notices);
    assert!(told.iter().all(|report| report["trace_id"] == trace_id));
    let times: Vec<f64> = told
        .iter()
        .filter_map(|report| report["ms"].as_f64())
        .collect();
    assert_eq!(times.len(), told.len());
    assert!(times.is_sorted(), "{times:?}");
    let asked = of_stage(&told, "generate");
    assert!(
        asked.iter().all(|report| report["engine"] == "m"),
        "{told:?}"
    );
    let ran = of_stage(&told, "execute");
    let sql: Vec<&Value> = ran.iter().map(|report| &report["sql"]).collect();
    assert_eq!(sql, ["SELECT count(*) FROM custmers", REPAIRED]);
    assert_eq!(of_stage(&told, "repair")[0]["repair"], "unknown_name");
    assert_eq!(of_stage(&told, "judge")[0]["rows"], 1);
    assert!(of_stage(&told, "answer")[0]["score"].is_f64());
}

/// A function with rights of its own decides what its caller sees.
#[test]
fn what_a_query_does_and_its_first_rows_are_told_to_who_asks() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("progress_rows");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute(&format!(
            "CREATE FUNCTION asks() RETURNS text LANGUAGE sql SECURITY DEFINER
                 AS $$ SELECT status FROM text2sql.ask('broken first') $$;
             ALTER FUNCTION asks() OWNER TO {ANALYST}"
        ))
        .unwrap();
    let (mut client, notices) = listening("t2s_progress_rows", Some(ANALYST));
    client.query_one(QUESTION, &[]).unwrap();
    let told = reports(&notices);
    let plan = &of_stage(&told, "execute")[1]["plan"];
    assert!(plan[0].is_string(), "{told:?}");
    let first = &of_stage(&told, "judge")[0]["first_rows"];
    assert_eq!(
        first["result_columns"],
        json!([{"name": "n", "type": "bigint"}])
    );
    assert!(first["result_rows"][0]["n"].is_i64(), "{first}");

    let (mut other, notices) = listening("t2s_progress_rows", None);
    let role = database.create_role("progress_other", "LOGIN");
    other
        .batch_execute(&format!("SET ROLE {role}; SELECT public.asks()"))
        .unwrap();
    let told = reports(&notices);
    assert!(told.is_empty(), "queries, numbers of rows: {told:?}");
}

#[test]
fn a_client_of_another_encoding_gets_all_of_it() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("progress_latin");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let (mut client, notices) = listening("t2s_progress_latin", Some(ANALYST));
    client
        .batch_execute("SET client_encoding = 'LATIN1'")
        .unwrap();
    // The answer has the SQL, too, which such a client cannot receive.
    client
        .batch_execute("SELECT status FROM text2sql.ask('broken first')")
        .unwrap();
    let told = reports(&notices);
    assert_eq!(of_stage(&told, "execute")[1]["sql"], REPAIRED);
}

#[test]
fn a_client_that_wants_no_notices_gets_none_and_the_log_has_no_sql() {
    let double = ModelDouble::start(script()).unwrap();
    let database = TestDatabase::new("progress_log");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let log = LogFromNow::begin();
    let (mut client, notices) = listening("t2s_progress_log", None);
    client
        .batch_execute("SET log_min_messages = 'notice'; SET client_min_messages = 'warning'")
        .unwrap();
    client
        .batch_execute(&format!("SET ROLE {ANALYST}; {QUESTION}"))
        .unwrap();
    assert!(reports(&notices).is_empty());
    let logged = log.of_database("t2s_progress_log");
    assert!(logged.contains("text2sql: execute ("), "{logged}");
    assert!(!logged.contains("custmers"), "{logged}");
}
