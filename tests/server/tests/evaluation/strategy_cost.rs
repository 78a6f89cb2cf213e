//! What each way of asking costs: calls of the model and characters sent, over questions of the demo's
//! suite. Prints the table of docs/benchmarks.md; what it asserts is how many calls each way makes.

use std::path::Path;

use model_double::{ModelDouble, Script};
use text2sql_server_tests::corpus::{lines, read};
use text2sql_server_tests::demo::DemoDatabase;

/// A way of asking: its name, its keys of `text2sql.tuning`, and how many calls a question takes.
const WAYS: [(&str, &str, f64); 12] = [
    ("`strategy` auto", "{}", 1.0),
    ("`strategy` direct", r#"{"strategy": "direct"}"#, 1.0),
    ("`strategy` one_shot", r#"{"strategy": "one_shot"}"#, 1.0),
    (
        "`strategy` chain_of_thought",
        r#"{"strategy": "chain_of_thought"}"#,
        1.0,
    ),
    ("`strategy` decompose", r#"{"strategy": "decompose"}"#, 1.0),
    ("`candidates` 3", r#"{"candidates": 3}"#, 3.0),
    ("`candidates` 5", r#"{"candidates": 5}"#, 5.0),
    (
        "`enable_relevance_check` on",
        r#"{"enable_relevance_check": true}"#,
        2.0,
    ),
    ("one repair", r#"{"without": []}"#, 2.0),
    (
        "`repair_on` gate, empty results",
        // One repair only: an off-topic second query would go back as well.
        r#"{"repair_on": "gate", "max_repairs": 1}"#,
        2.0,
    ),
    (
        "`max_schema_chars` 5000",
        r#"{"max_schema_chars": 5000}"#,
        1.0,
    ),
    ("replay of a verified example", "{}", 0.0),
];

#[test]
fn each_strategy_makes_the_calls_that_it_should() {
    let demo = DemoDatabase::new("strategy_cost");
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo");
    let questions: Vec<String> = lines(&read(&files, "suite.jsonl"))
        .iter()
        .filter(|case| case["gold"].is_string())
        .step_by(5)
        .map(|case| case["question"].as_str().unwrap().to_owned())
        .collect();
    assert!(questions.len() >= 10);
    let good = r#"{"sql": "SELECT count(*) AS n FROM customers"}"#;
    let empty = r#"{"sql": "SELECT full_name FROM customers WHERE customer_id < 0"}"#;
    let script = |first: &str| {
        Script::new()
            .on("it gave", [r#"{"relevance": 1, "reason": "It answers."}"#])
            .on("", [first, good])
    };
    let mut admin = demo.superuser();
    let mut doubles = Vec::new();
    for (name, first) in [
        ("good", good),
        ("broken", r#"{"sql": "SELECT 1 FROM custmers"}"#),
        ("empty", empty),
    ] {
        let double = ModelDouble::start(script(first)).unwrap();
        admin
            .batch_execute(&format!(
                "CREATE SERVER {name} FOREIGN DATA WRAPPER text2sql OPTIONS (protocol 'openai', base_url '{}',
                     model 'double-1', allow_private 'true', allow_http 'true');
                 GRANT USAGE ON FOREIGN SERVER {name} TO demo_analyst",
                double.base_url("ok")
            ))
            .unwrap();
        doubles.push(double);
    }
    println!("| way of asking | calls | characters of the first prompt | characters sent |");
    println!("|---|---|---|---|");
    for (way, keys, calls) in WAYS {
        let mut analyst = demo.analyst();
        let model = match way {
            "one repair" => "broken",
            "`repair_on` gate, empty results" => "empty",
            _ => "good",
        };
        // The reply answers few of the questions: only a way that says so sends it back for that.
        let mut tuning = serde_json::Map::from_iter([("repair_on".to_owned(), "errors".into())]);
        tuning.extend(serde_json::from_str::<serde_json::Map<_, _>>(keys).unwrap());
        let tuning = serde_json::Value::Object(tuning);
        analyst
            .batch_execute(&format!(
                "SET text2sql.model = '{model}'; SELECT text2sql._version(); SET text2sql.tuning = '{tuning}'"
            ))
            .unwrap();
        if way.starts_with("replay") {
            for question in &questions {
                let teach = "SELECT text2sql.accept('example', text2sql.add_example($1, 'SELECT count(*) FROM customers'))";
                admin.query(teach, &[question]).unwrap();
            }
        }
        let since: std::time::SystemTime = analyst
            .query_one("SELECT clock_timestamp()", &[])
            .unwrap()
            .get(0);
        for question in &questions {
            let row = analyst
                .query_one("SELECT status FROM text2sql.ask($1)", &[question])
                .unwrap();
            assert_eq!(row.get::<_, String>(0), "ok", "{way}: {question}");
        }
        let row = analyst
            .query_one(
                "SELECT avg(h.model_calls)::float8, avg(h.prompt_chars)::float8,
                        coalesce(avg(e.characters), 0)::float8
                   FROM text2sql.history h
                   LEFT JOIN LATERAL (SELECT sum(e.characters) AS characters FROM text2sql.egress_log e
                                       WHERE e.trace_id = h.trace_id) AS e ON true
                  WHERE h.asked_at >= $1",
                &[&since],
            )
            .unwrap();
        let (made, prompt, sent): (f64, f64, f64) = (row.get(0), row.get(1), row.get(2));
        println!("| {way} | {made:.0} | {prompt:.0} | {sent:.0} |");
        assert!((made - calls).abs() < 1e-9, "{way}: {made} calls");
        assert_eq!(sent > 0.0, calls > 0.0, "{way}");
    }
}
