//! What keeps a query that ran from being the answer: each trigger goes back to the model by itself, and the caller is
//! warned where nothing better came.

use model_double::{ModelDouble, Script};
use postgres::Client;
use serde_json::Value;
use text2sql_server_tests::TestDatabase;

const RIGHT: &str = r#"{"sql": "SELECT sum(total) AS total FROM orders o JOIN customers USING (customer_id) JOIN countries k USING (country_id) WHERE k.name = 'Germany'", "sentence": "The total is {rows[0].total}."}"#;
/// About other tables, with a condition that nobody asked for.
const OFF_TOPIC: &str = r#"{"sql": "SELECT name FROM customers WHERE name <> 'nobody' LIMIT 917"}"#;
/// Each order is added up once for each of its two items.
const FAN_OUT: &str = r#"{"sql": "SELECT sum(o.total) AS total FROM orders o JOIN order_items i USING (order_id) JOIN customers USING (customer_id) JOIN countries k USING (country_id) WHERE k.name = 'Germany'", "sentence": "The total is {rows[0].total}."}"#;
/// A value that does not occur.
const MISSPELT: &str = r#"{"sql": "SELECT sum(total) AS total FROM orders o JOIN customers USING (customer_id) JOIN countries k USING (country_id) WHERE k.name = 'Germani'"}"#;
/// The value occurs, and the other condition was not asked for and leaves nothing.
const UNASKED: &str = r#"{"sql": "SELECT sum(total) AS total FROM orders o JOIN customers USING (customer_id) JOIN countries k USING (country_id) WHERE k.name = 'Germany' AND o.total > 4711"}"#;
/// The join compares what never is equal.
const NO_MATCH: &str = r#"{"sql": "SELECT o.total, o.order_id FROM orders o JOIN customers c ON c.name = o.order_id::text || c.mail"}"#;

const QUESTION: &str = "What is the total of the orders of Germany?";

struct Asked {
    status: String,
    rows: String,
    answer: String,
    warnings: Vec<String>,
    /// The categories of the repairs, from the trace.
    repairs: Vec<Value>,
    /// The last user turn of each request.
    turns: Vec<String>,
}

fn ask(test: &str, replies: &[&str], egress: &str, options: &str) -> Asked {
    let script = Script::new().on("total of the orders", replies.iter().copied());
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new(test);
    let egress = format!(", egress '{egress}'");
    database.add_model("m", "openai", &double.base_url("ok"), &egress);
    database
        .superuser()
        .batch_execute(
            "CREATE TABLE order_items (item_id integer PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders);
             INSERT INTO order_items SELECT n, 1 + n % 400 FROM generate_series(1, 800) AS n;
             GRANT SELECT ON order_items TO t2s_analyst; ANALYZE order_items",
        )
        .unwrap();
    asked(&mut database.analyst(), &double, options)
}

fn asked(analyst: &mut Client, double: &ModelDouble, options: &str) -> Asked {
    let row = analyst
        .query_one(
            "SELECT status, coalesce(result_rows::text, ''), coalesce(answer, ''), warnings, trace_id::text
             FROM text2sql.ask($1, options => $2::text::jsonb)",
            &[&QUESTION, &options],
        )
        .unwrap();
    let trace: String = row.get(4);
    let repairs = analyst
        .query(
            "SELECT output::text FROM text2sql.trace($1::text::uuid) WHERE stage = 'repair' ORDER BY step",
            &[&trace],
        )
        .unwrap();
    let last_turn = |body: &Value| {
        let messages = body["messages"].as_array().unwrap();
        let content = messages.last().unwrap()["content"].as_str();
        content.unwrap().to_owned()
    };
    let turns = double.requests();
    Asked {
        status: row.get(0),
        rows: row.get(1),
        answer: row.get(2),
        warnings: row.get(3),
        repairs: repairs
            .iter()
            .map(|row| serde_json::from_str(row.get(0)).unwrap())
            .collect(),
        turns: turns.iter().map(|one| last_turn(&one.body)).collect(),
    }
}

/// The triggers of the repairs, in order.
fn triggers(asked: &Asked) -> Vec<String> {
    let of = |repair: &Value| repair["triggers"].as_array().cloned().unwrap_or_default();
    let all = asked.repairs.iter().flat_map(of);
    all.filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

#[test]
fn each_proved_fault_goes_back_by_default() {
    for (name, wrong, trigger) in [
        ("off_topic", OFF_TOPIC, "off_topic"),
        ("fan_out", FAN_OUT, "join_fan_out"),
        ("value", MISSPELT, "unknown_value"),
        ("unasked", UNASKED, "empty_by_query"),
        ("join", NO_MATCH, "empty_by_query"),
    ] {
        let asked = ask(&format!("gate_{name}"), &[wrong, RIGHT], "schema", "{}");
        assert!(
            triggers(&asked).contains(&trigger.to_owned()),
            "{name}: {:?}",
            asked.repairs
        );
        assert_eq!(
            (
                asked.status.as_str(),
                asked.rows.as_str(),
                asked.turns.len()
            ),
            ("ok", r#"[{"total": 40000.00}]"#, 2),
            "{name}"
        );
        assert!(asked.warnings.is_empty(), "{name}: {:?}", asked.warnings);
        assert!(!asked.answer.starts_with("Probably wrong"), "{name}");
    }
}

#[test]
fn what_never_gets_right_is_told_by_its_trigger() {
    for (name, wrong, warning) in [
        (
            "off_topic",
            OFF_TOPIC,
            "this result may answer another question. ",
        ),
        (
            "fan_out",
            FAN_OUT,
            "do not rely on this result: it did not pass the check join_fan_out. ",
        ),
        (
            "value",
            MISSPELT,
            "this result did not pass the check unknown_value. ",
        ),
        ("unasked", UNASKED, "nothing was found, perhaps because"),
    ] {
        let test = format!("gate_never_{name}");
        let asked = ask(&test, &[wrong, wrong, wrong], "schema", "{}");
        assert_eq!(asked.status, "ok", "{name}");
        let first = asked.warnings.first().cloned().unwrap_or_default();
        assert!(first.starts_with(warning), "{name}: {:?}", asked.warnings);
        assert_eq!(
            asked.answer.starts_with("Probably wrong: "),
            name == "fan_out",
            "{name}: {}",
            asked.answer
        );
        // The same query again is not tried: two requests, although two repairs are allowed.
        assert_eq!(asked.turns.len(), 2, "{name}");
    }
}

#[test]
fn without_a_repair_the_warning_stays() {
    for options in [r#"{"max_repairs": 0}"#, r#"{"repair_on": "errors"}"#] {
        let test = format!("gate_none_{}", options.len());
        let asked = ask(&test, &[FAN_OUT, RIGHT], "schema", options);
        assert_eq!(asked.turns.len(), 1, "{options}");
        assert!(
            asked.warnings[0].starts_with("do not rely on this result"),
            "{:?}",
            asked.warnings
        );
        assert!(asked.answer.starts_with("Probably wrong: The total is "));
    }
}

#[test]
fn the_cause_of_nothing_goes_to_the_model_within_its_egress() {
    let schema = ask("gate_egress_schema", &[UNASKED, RIGHT], "schema", "{}");
    let turn = &schema.turns[1];
    assert!(
        turn.contains("`o.total > 4711` holds for none of the rows"),
        "{turn}"
    );
    assert!(!turn.contains("400.00"), "a value left at schema: {turn}");
    let values = ask("gate_egress_values", &[UNASKED, RIGHT], "values", "{}");
    let turn = &values.turns[1];
    assert!(turn.contains("the largest is 400.00"), "{turn}");
}

#[test]
fn no_value_of_a_private_column_goes_to_the_model() {
    let script = Script::new().on("total of the orders", [UNASKED, MISSPELT, RIGHT]);
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("gate_private");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'rows'");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "SELECT text2sql.protect('orders.total', 'private'); SELECT text2sql.protect('countries.name', 'private')",
        )
        .unwrap();
    let asked = asked(&mut database.analyst(), &double, "{}");
    assert_eq!(asked.turns.len(), 3, "{:?}", asked.repairs);
    for turn in &asked.turns[1..] {
        assert!(
            !turn.contains("400.00") && !turn.contains("Germany'"),
            "{turn}"
        );
    }
    assert!(asked.turns[2].contains("no row of countries holds 'Germani' in name"));
}

#[test]
fn a_table_without_rows_is_no_fault_of_the_query() {
    let script = Script::new().on(
        "total of the orders",
        [r#"{"sql": "SELECT order_id, total FROM orders"}"#],
    );
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("gate_no_rows");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    database
        .superuser()
        .batch_execute("TRUNCATE orders; ANALYZE orders")
        .unwrap();
    let options = r#"{"repair_on": "gate", "completeness_threshold": 0, "topic_threshold": 0, "score_threshold": 0}"#;
    let asked = asked(&mut database.analyst(), &double, options);
    assert_eq!((asked.turns.len(), asked.rows.as_str()), (1, "[]"));
}

#[test]
fn thresholds_are_the_callers_and_each_acts_alone() {
    let off = r#"{"sql": "SELECT * FROM countries"}"#;
    let topic = r#"{"repair_on": "gate", "completeness_threshold": 0, "topic_threshold": 0.5, "score_threshold": 0}"#;
    let sent = ask("gate_topic", &[off, RIGHT], "schema", topic);
    // That it does without what the question names in full is proved, whatever the thresholds.
    assert_eq!(triggers(&sent), ["name", "off_topic"], "{:?}", sent.repairs);
    let lax = r#"{"repair_on": "gate", "completeness_threshold": 0, "topic_threshold": 0, "score_threshold": 0}"#;
    let sent = ask("gate_lax", &[off, RIGHT], "schema", lax);
    assert_eq!(triggers(&sent), ["name"], "{:?}", sent.repairs);
}

#[test]
fn a_low_opinion_of_the_model_goes_back_where_it_is_asked() {
    let script = Script::new()
        .on(
            "it gave",
            [
                r#"{"relevance": 0.3, "reason": "Germany only was asked for."}"#,
                r#"{"relevance": 0.9, "reason": "It fits."}"#,
            ],
        )
        .on("total of the orders", [RIGHT, FAN_OUT]);
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("gate_opinion");
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut analyst = database.analyst();
    let options = r#"{"enable_relevance_check": true, "max_repairs": 0}"#;
    let low = asked(&mut analyst, &double, options);
    assert_eq!(
        low.warnings,
        [
            "the model finds that this result hardly answers the question. Germany only was asked for."
        ]
    );
}
