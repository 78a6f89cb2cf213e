//! A query that ran is judged: certain errors are sent back to the model, the best attempt is
//! kept, and no value of a row goes where it may not.

use model_double::{ModelDouble, Script};
use text2sql_server_tests::TestDatabase;

const MISSPELT: &str = r#"{"sql": "SELECT count(*) AS n FROM countries WHERE name = 'Germani'"}"#;
const RIGHT: &str = r#"{"sql": "SELECT count(*) AS n FROM countries WHERE name = 'Germany'"}"#;
const BROKEN: &str = r#"{"sql": "SELECT count(*) AS n FROM nowhere"}"#;

struct Asked {
    status: String,
    rows: String,
    warnings: Vec<String>,
    /// The last user turn of each request.
    turns: Vec<String>,
}

fn ask(replies: &[&str], egress: &str, setting: &str, test: &str) -> Asked {
    let script = Script::new().on("germany", replies.iter().copied());
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new(test);
    let options = format!(", egress '{egress}'");
    database.add_model("m", "openai", &double.base_url("ok"), &options);
    let mut analyst = database.analyst();
    analyst.batch_execute(setting).unwrap();
    let row = analyst
        .query_one(
            "SELECT status, coalesce(result_rows::text, ''), warnings FROM text2sql.ask('How many in Germany?')",
            &[],
        )
        .unwrap();
    let last_turn = |body: &serde_json::Value| {
        let messages = body["messages"].as_array().unwrap();
        messages.last().unwrap()["content"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    Asked {
        status: row.get(0),
        rows: row.get(1),
        warnings: row.get(2),
        turns: double
            .requests()
            .iter()
            .map(|request| last_turn(&request.body))
            .collect(),
    }
}

#[test]
fn a_value_that_does_not_occur_goes_back() {
    let asked = ask(&[MISSPELT, RIGHT], "schema", "", "judge_value");
    assert_eq!(
        (asked.status.as_str(), asked.rows.as_str()),
        ("ok", r#"[{"n": 1}]"#)
    );
    assert_eq!(asked.turns.len(), 2);
    assert!(
        asked.turns[1].contains("no row of countries holds 'Germani' in name"),
        "{}",
        asked.turns[1]
    );
    assert!(
        !asked.turns[1].contains("Germany"),
        "a value may not leave at egress schema"
    );
    assert!(asked.warnings.is_empty(), "{:?}", asked.warnings);
}

#[test]
fn near_values_help_where_values_may_leave() {
    let asked = ask(&[MISSPELT, RIGHT], "values", "", "judge_near");
    assert!(asked.turns[1].contains("Germany"), "{}", asked.turns[1]);
}

#[test]
fn the_look_up_of_a_question_tells_what_a_literal_should_have_been() {
    let wrong =
        r#"{"sql": "SELECT count(*) AS n FROM orders WHERE state = 'cancelled' OR place = 'USA'"}"#;
    let right = r#"{"sql": "SELECT count(*) AS n FROM orders WHERE state = 'X'"}"#;
    let script = Script::new().on("cancelled", [wrong, right]);
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("judge_meaning");
    database.add_model("m", "openai", &double.base_url("ok"), ", egress 'values'");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "ALTER TABLE orders ADD COLUMN state char(1) NOT NULL DEFAULT 'A', ADD COLUMN place text NOT NULL DEFAULT 'United States of America';
             UPDATE orders SET state = 'X' WHERE order_id <= 7;
             SELECT text2sql.describe('orders.state', meanings => '{\"A\": \"active\", \"X\": \"cancelled\"}')",
        )
        .unwrap();
    drop(admin);
    database
        .superuser()
        .batch_execute("CALL text2sql.refresh()")
        .unwrap();
    let row = database
        .analyst()
        .query_one(
            "SELECT status, result_rows::text FROM text2sql.ask('How many were cancelled?')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    assert_eq!(row.get::<_, &str>(1), r#"[{"n": 7}]"#);
    let requests = double.requests();
    let turn = requests[1].body["messages"].to_string();
    // One is found by what the value means, the other by its initials; neither is spelled like the value.
    assert!(
        turn.contains("Nearest: 'X'") || turn.contains("Nearest: 'United States of America'"),
        "{turn}"
    );
}

#[test]
fn the_best_attempt_is_kept_when_a_repair_makes_it_worse() {
    let asked = ask(&[MISSPELT, BROKEN, BROKEN], "schema", "", "judge_best");
    assert_eq!(
        (asked.status.as_str(), asked.rows.as_str()),
        ("ok", r#"[{"n": 0}]"#)
    );
    assert_eq!(asked.warnings.len(), 1);
    assert!(
        asked.warnings[0].contains("Germani"),
        "{:?}",
        asked.warnings
    );
}

#[test]
fn errors_only_leaves_what_ran_alone_but_tells() {
    let setting = r#"SET text2sql.tuning = '{"repair_on": "errors"}'"#;
    let asked = ask(&[MISSPELT, RIGHT], "schema", setting, "judge_errors");
    assert_eq!(asked.rows, r#"[{"n": 0}]"#);
    assert_eq!(asked.turns.len(), 1);
    assert_eq!(asked.warnings.len(), 1);
}
