//! Each stage can be switched off by name, for one question or for a session, so that an ablation can
//! measure what it is worth.

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::TestDatabase;

const RIGHT: &str = r#"{"sql": "SELECT count(*) AS n FROM countries WHERE name = 'Germany'", "sentence": "{rows[0].n} there."}"#;
const BROKEN: &str = r#"{"sql": "SELECT count(*) AS n FROM countrys"}"#;

/// What was asked: how often the model, with which last prompt, and through which stages.
struct Asked {
    calls: usize,
    prompt: String,
    stages: Vec<String>,
    answer: Option<String>,
}

fn ask(client: &mut Client, double: &ModelDouble, question: &str, off: &str) -> Asked {
    let before = double.requests().len();
    let off: Vec<&str> = off.split(", ").filter(|name| !name.is_empty()).collect();
    let options = serde_json::json!({ "disabled_stages": off }).to_string();
    let row = client
        .query_one(
            "SELECT answer, trace_id::text FROM text2sql.ask($1, options => $2::text::jsonb)",
            &[&question, &options],
        )
        .unwrap();
    let (answer, trace): (Option<String>, String) = (row.get(0), row.get(1));
    let stages = client.query(
        "SELECT stage FROM text2sql.trace($1::text::uuid) ORDER BY step",
        &[&trace],
    );
    let requests = double.requests();
    Asked {
        calls: requests.len() - before,
        prompt: requests
            .last()
            .map(|request| request.body.to_string())
            .unwrap_or_default(),
        stages: stages.unwrap().iter().map(|row| row.get(0)).collect(),
        answer,
    }
}

#[test]
fn every_stage_can_be_left_out() {
    let double =
        ModelDouble::start(Script::new().on("repair", [BROKEN, RIGHT]).on("", [RIGHT])).unwrap();
    let database = TestDatabase::new("disabled_stages");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.verify_example(text2sql.add_example(
                 'How many countries are called Germany?',
                 'SELECT count(*) AS seen_before FROM countries WHERE name = ''Germany'''));
             SELECT text2sql.define('big buyers', 'customers with many orders')",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let mut analyst = database.analyst();
    let known = "How many countries are called Germany?";
    let near = "How many countries called Germany have big buyers?";

    assert_eq!(ask(&mut analyst, &double, known, "").calls, 0, "replayed");
    let asked = ask(&mut analyst, &double, known, "replay");
    assert_eq!(asked.calls, 1);
    assert!(asked.prompt.contains("seen_before"), "few-shot stays");
    let asked = ask(&mut analyst, &double, known, "replay, few_shot");
    assert!(!asked.prompt.contains("seen_before"));
    assert!(
        !ask(&mut analyst, &double, known, "examples")
            .prompt
            .contains("seen_before")
    );

    let asked = ask(&mut analyst, &double, near, "");
    assert!(asked.prompt.contains("customers with many orders"));
    // The question's word, linked to a value that the database holds.
    let linked = "\\\"Germany\\\"";
    assert!(asked.prompt.contains(linked), "{}", asked.prompt);
    assert!(asked.stages.contains(&"judge".to_owned()));
    assert_eq!(asked.answer.as_deref(), Some("1 there."));
    let asked = ask(&mut analyst, &double, near, "definitions");
    assert!(!asked.prompt.contains("customers with many orders"));
    let asked = ask(&mut analyst, &double, near, "values, few_shot");
    assert!(!asked.prompt.contains(linked), "{}", asked.prompt);
    let asked = ask(&mut analyst, &double, near, "judge, narrate");
    assert!(!asked.stages.contains(&"judge".to_owned()) && asked.answer.is_none());

    assert_eq!(ask(&mut analyst, &double, "repair this", "").calls, 2);
    assert_eq!(ask(&mut analyst, &double, "repair this", "repair").calls, 1);
    analyst
        .batch_execute("SET text2sql.tuning = '{\"candidates\": 3}'")
        .unwrap();
    assert_eq!(ask(&mut analyst, &double, near, "").calls, 3);
    assert_eq!(ask(&mut analyst, &double, near, "candidates").calls, 1);
    // Every other name is one of retrieval's legs: with each of them off, questions are answered.
    for leg in [
        "interpret",
        "route",
        "names",
        "columns",
        "tables",
        "vectors",
        "rerank",
        "coherence",
        "closure",
        "families",
    ] {
        assert!(ask(&mut analyst, &double, near, leg).calls > 0, "{leg}");
    }
    // As a setting, hence as a variant of ablate().
    analyst
        .batch_execute("SET text2sql.tuning = '{\"candidates\": 1}'")
        .unwrap();
    admin
        .batch_execute("SELECT text2sql.grant_evaluation('t2s_analyst')")
        .unwrap();
    analyst
        .batch_execute(
            "SET client_min_messages = warning;
             SELECT text2sql_eval.add_case('s', 'How many countries are called Germany?', 'SELECT 1')",
        )
        .unwrap();
    analyst
        .batch_execute(
            r#"CALL text2sql_eval.ablate('s', '{"no replay": {"disabled_stages": ["replay"]}}')"#,
        )
        .unwrap();
    let rows = analyst
        .query(
            "SELECT variant, model_calls FROM text2sql_eval.ablations ORDER BY evaluation_id",
            &[],
        )
        .unwrap();
    let calls: Vec<(String, i64)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(
        calls.last(),
        Some(&("no replay".to_owned(), 1)),
        "{calls:?}"
    );
    assert_eq!(calls.first().map(|(_, calls)| *calls), Some(0), "{calls:?}");
}
