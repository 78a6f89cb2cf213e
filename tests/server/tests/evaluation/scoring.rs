//! Queries are scored; the gate repairs on a low score or an empty result; the model's own opinion is
//! asked for only where it is wanted; a fit over an evaluation makes a score a confidence.

use model_double::{ModelDouble, Script};
use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::{TestDatabase, error_of};

const RIGHT: &str = r#"{"sql": "SELECT count(*) AS customers FROM customers"}"#;
/// Runs, returns no rows, and no check can prove why.
const EMPTY: &str = r#"{"sql": "SELECT name AS customers FROM customers WHERE customer_id < 0"}"#;
/// Runs and returns rows, but about another subject, with a condition that is not in the question.
const OTHER: &str = r#"{"sql": "SELECT order_id FROM orders WHERE total <> 917 LIMIT 913"}"#;

fn start(test: &str, egress: &str, replies: &[&str]) -> (ModelDouble, TestDatabase, Client) {
    let script = Script::new()
        .on(
            "it gave",
            [r#"{"relevance": 0.5, "reason": "Half of it."}"#],
        )
        .on("how many", replies.iter().copied());
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new(test);
    database.add_model(
        "m",
        "openai",
        &double.base_url("ok"),
        &format!(", egress '{egress}'"),
    );
    let analyst = database.analyst();
    (double, database, analyst)
}

/// The status, the SQL, and the trace's outputs of a stage.
fn asked(
    client: &mut Client,
    question: &str,
    options: &str,
    stage: &str,
) -> (String, String, Vec<Value>) {
    let row = client
        .query_one(
            "SELECT status, sql, trace_id::text FROM text2sql.ask($1, options => $2::text::jsonb)",
            &[&question, &options],
        )
        .unwrap();
    let (status, sql, trace): (String, String, String) = (row.get(0), row.get(1), row.get(2));
    let outputs = client
        .query(
            "SELECT output::text FROM text2sql.trace($1::text::uuid) WHERE stage = $2 ORDER BY step",
            &[&trace, &stage],
        )
        .unwrap();
    (
        status,
        sql,
        outputs
            .iter()
            .map(|row| serde_json::from_str(row.get(0)).unwrap())
            .collect(),
    )
}

#[test]
fn the_score_with_its_dimensions_is_in_the_trace() {
    let (_double, _database, mut analyst) = start("score_trace", "schema", &[RIGHT]);
    let (status, _, judged) = asked(&mut analyst, "How many customers?", "{}", "judge");
    assert_eq!((status.as_str(), judged.len()), ("ok", 1));
    let score = &judged[0]["score"];
    assert_eq!(score["total"], 1.0, "{score}");
    let dimensions = score["dimensions"].as_array().unwrap();
    assert_eq!(dimensions.len(), 7);
    assert!(
        dimensions
            .iter()
            .all(|part| part["reason"].as_str().unwrap().ends_with('.'))
    );
    assert_eq!(score["relevance"], Value::Null);
}

#[test]
fn the_gate_repairs_an_empty_result_and_a_low_score() {
    let (double, _database, mut analyst) = start("score_gate", "schema", &[EMPTY, OTHER, RIGHT]);
    let (_, sql, repairs) = asked(
        &mut analyst,
        "How many customers?",
        r#"{"repair_on": "gate"}"#,
        "repair",
    );
    assert!(sql.contains("count(*)"), "{sql}");
    let categories: Vec<&Value> = repairs.iter().map(|output| &output["category"]).collect();
    assert_eq!(categories, ["empty_result", "relevance"]);
    assert_eq!(double.requests().len(), 3);
    let told = double.requests().last().unwrap().body.to_string();
    assert!(told.contains("it hardly answers the question"), "{told}");
}

#[test]
fn relevance_is_asked_for_where_it_is_wanted_and_rows_only_where_they_may_go() {
    for (egress, sees_rows) in [("schema", false), ("rows", true)] {
        let (double, _database, mut analyst) =
            start(&format!("relevance_{egress}"), egress, &[RIGHT]);
        analyst
            .batch_execute("SET text2sql.tuning = '{\"enable_narration\": false}'")
            .unwrap();
        asked(&mut analyst, "How many customers?", "{}", "judge");
        assert_eq!(double.requests().len(), 1, "nobody asked for an opinion");
        analyst
            .batch_execute(r#"SET text2sql.tuning = '{"enable_narration": false, "enable_relevance_check": true}'"#)
            .unwrap();
        let (_, _, judged) = asked(&mut analyst, "How many customers?", "{}", "judge");
        let score = &judged[0]["score"];
        assert_eq!(
            (&score["relevance"], &score["total"]),
            (&0.5.into(), &0.925.into())
        );
        let requests = double.requests();
        let asked_for = requests.last().unwrap().body.to_string();
        assert!(asked_for.contains("It gave 1 rows"));
        assert_eq!(asked_for.contains("[\\\"40\\\"]"), sees_rows, "{asked_for}");
        let logged: i64 = analyst
            .query_one("SELECT sum(result_rows)::bigint FROM text2sql.egress_log WHERE purpose = 'relevance'", &[])
            .unwrap()
            .get(0);
        assert_eq!(logged, i64::from(sees_rows));
    }
}

#[test]
fn settings_of_scores_are_checked_when_they_are_set() {
    let database = TestDatabase::new("score_settings");
    let mut analyst = database.analyst();
    // The first call of a session loads the library, and with it the checks.
    analyst.batch_execute("SELECT text2sql._version()").unwrap();
    for (set, detail) in [
        (
            "SET text2sql.tuning = '{\"score_weights\": {\"correctness\": 1}}'",
            "The key \"score_weights\" has no weight for \"safety\".",
        ),
        (
            "SET text2sql.tuning = '{\"without\": [\"replay\", \"rest\"]}'",
            "The key \"without\" names nothing that can be left out with \"rest\"; the names are schema, descriptions, comments, synonyms, meanings, samples, keys, taught_joins, inferred_joins, values, definitions, examples, few_shot, instructions, prompts, texts, search, names, columns, tables, spelling, vectors, table_vectors, word_vectors, rerank, coherence, closure, families, table_choice, second_look, interpret, route, replay, plan, steps, candidates, judge, relevance_check, mend, repair, narrate.",
        ),
    ] {
        let error = analyst.batch_execute(set).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "22023");
        assert_eq!(error.detail(), Some(detail));
        // The hint can be pasted.
        analyst.batch_execute(error.hint().unwrap()).unwrap();
    }
    analyst
        .batch_execute("SET text2sql.tuning = '{\"without\": [\"replay\", \"few_shot\"]}'")
        .unwrap();
}

#[test]
fn a_fit_over_an_evaluation_makes_a_score_a_confidence() {
    let mut script = Script::new();
    for number in 0..40 {
        let reply = match number % 10 {
            // Wrong, without any visible sign.
            9 => r#"{"sql": "SELECT count(DISTINCT country_id) AS customers FROM customers"}"#,
            _ => RIGHT,
        };
        script = script.on(&format!("good {number}:"), [reply]);
    }
    for number in 0..40 {
        let reply = if number % 10 < 3 {
            // Correct, with conditions that are not in the question.
            r#"{"sql": "SELECT count(*) FROM customers WHERE customer_id <> 4711 AND name <> 'x'"}"#
        } else {
            // These conditions make it wrong.
            r#"{"sql": "SELECT count(*) FROM customers WHERE customer_id <> 4711 AND name <> 'customer 1'"}"#
        };
        script = script.on(&format!("odd {number}:"), [reply]);
    }
    let double = ModelDouble::start(script.otherwise(RIGHT)).unwrap();
    let database = TestDatabase::new("confidence");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.grant_access('t2s_analyst', 'evaluation'); SELECT text2sql.grant_access('t2s_analyst', 'curator')",
        )
        .unwrap();
    let mut analyst = database.analyst();
    analyst
        .batch_execute("SET client_min_messages = warning")
        .unwrap();
    let confidence = |client: &mut Client| -> Option<f64> {
        let row = client.query_one(
            "SELECT confidence FROM text2sql.ask('How many customers?')",
            &[],
        );
        row.unwrap().get(0)
    };
    assert_eq!(confidence(&mut analyst), None, "nobody has measured it");
    let shown = |client: &mut Client| -> Option<String> {
        let sql = "SELECT line FROM text2sql.show('How many customers?') AS line WHERE line LIKE 'confidence%'";
        client.query_opt(sql, &[]).unwrap().map(|row| row.get(0))
    };
    assert_eq!(shown(&mut analyst), None);
    analyst
        .batch_execute(
            "SELECT text2sql_eval.add_case('few', 'good 1: How many customers?', 'SELECT count(*) FROM customers');
             SELECT text2sql_eval.add_case('s', kind || n || ': How many customers?', 'SELECT count(*) FROM customers')
               FROM (VALUES ('good '), ('odd ')) AS k(kind), generate_series(0, 39) AS n",
        )
        .unwrap();
    analyst
        .batch_execute("CALL text2sql_eval.evaluate('few')")
        .unwrap();
    let refused = |client: &mut Client, evaluation: i32| {
        error_of(
            client,
            &format!("SELECT * FROM text2sql_eval.fit_confidence({evaluation})"),
        )
        .1
    };
    assert_eq!(
        refused(&mut analyst, 1),
        "cannot fit confidence to only 1 answers"
    );
    assert_eq!(refused(&mut analyst, 99), "evaluation 99 does not exist");
    analyst
        .batch_execute("CALL text2sql_eval.evaluate('s')")
        .unwrap();
    let row = analyst
        .query_one("SELECT model, answers, right_answers, brier, baseline_brier FROM text2sql_eval.fit_confidence(2)", &[])
        .unwrap();
    let (model, answers, right): (String, i32, i32) = (row.get(0), row.get(1), row.get(2));
    // 36 of the good ones and 12 of the odd ones are right.
    assert_eq!((model.as_str(), answers, right), ("m", 80, 48));
    let (brier, of_share): (f64, f64) = (row.get(3), row.get(4));
    assert!(brier < of_share, "{brier} {of_share}");
    let believed = confidence(&mut analyst).expect("a confidence");
    let line = shown(&mut analyst).expect("a line");
    assert_eq!(
        line,
        format!("confidence: {:.2}", (believed * 100.0).floor() / 100.0)
    );
    assert!((0.85..1.0).contains(&believed), "{believed}");
    // It applies to all roles, the next evaluation measures it, and status() reports it.
    analyst
        .batch_execute("CALL text2sql_eval.evaluate('s')")
        .unwrap();
    let row = analyst
        .query_one(
            "SELECT (SELECT sum(g.attempts)::bigint FROM text2sql_eval.groups g
                      WHERE g.evaluation_id = s.evaluation_id AND g.grouped_by = 'confidence'), expected_error, brier
               FROM text2sql_eval.evaluations s WHERE evaluation_id = 3",
            &[],
        )
        .unwrap();
    let (answers, expected_error, brier): (i64, f64, f64) = (row.get(0), row.get(1), row.get(2));
    assert_eq!(answers, 80);
    assert!(
        expected_error < 0.1 && brier < of_share,
        "{expected_error} {brier}"
    );
    let status: String = analyst
        .query_one(
            "SELECT value FROM text2sql.status() WHERE item = 'confidence'",
            &[],
        )
        .unwrap()
        .get(0);
    assert!(status.starts_with("fitted on 80 answers on "), "{status}");
    // Another model behind the same name is another model.
    admin
        .batch_execute("ALTER SERVER m OPTIONS (SET model 'double-2')")
        .unwrap();
    assert_eq!(confidence(&mut analyst), None);
    admin
        .batch_execute("ALTER SERVER m OPTIONS (SET model 'double-1')")
        .unwrap();
    assert!(confidence(&mut analyst).is_some());
    analyst
        .batch_execute("SELECT text2sql.forget('confidence', 'm')")
        .unwrap();
    assert_eq!(confidence(&mut analyst), None);
}
