//! A model that looks at the data before it writes: what it may see, how often, and what is recorded of it.

use model_double::{ModelDouble, RecordedRequest, Script};
use postgres::Client;
use serde_json::{Value, json};
use text2sql_server_tests::TestDatabase;

const ANSWER: &str = r#"{"sql": "SELECT count(*) AS customers FROM customers JOIN countries AS c USING (country_id) WHERE c.name = 'Germany'"}"#;

fn has_tools(request: &RecordedRequest) -> bool {
    request.body["tools"].is_array()
}

struct Looking {
    double: ModelDouble,
    client: Client,
    database: TestDatabase,
}

/// A model with this egress that replies in turn.
fn start(test: &str, egress: &str, replies: Value) -> Looking {
    let script = json!([{"match": "customers are from germany", "replies": replies}]);
    let double = ModelDouble::start(Script::from_json(&script.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new(test);
    let options = format!(", egress '{egress}'");
    database.add_model("m", "openai", &double.base_url("ok"), &options);
    let client = database.analyst();
    Looking {
        double,
        client,
        database,
    }
}

impl Looking {
    fn ask(&mut self, options: &str) -> (String, Option<String>) {
        let ask = "SELECT status, sql FROM text2sql.ask('How many customers are from Germany?', options => $1::text::jsonb)";
        let row = self.client.query_one(ask, &[&options]).unwrap();
        (row.get(0), row.get(1))
    }

    /// The last user message of each request.
    fn last_messages(&self) -> Vec<String> {
        let requests = self.double.requests();
        let last = requests.iter().map(|request| {
            let messages = request.body["messages"].as_array().unwrap();
            messages.last().unwrap()["content"]
                .as_str()
                .unwrap()
                .to_owned()
        });
        last.collect()
    }
}

#[test]
fn a_model_looks_at_values_and_counts_before_it_writes() {
    let mut looking = start(
        "looks",
        "rows",
        json!([
            {"call": {"look_at_values": {"table": "countries", "column": "name", "like": ""},
                      "count_rows": {"table": "orders", "condition": "total > 390"}}},
            ANSWER
        ]),
    );
    let (status, sql) = looking.ask(r#"{"max_looks": 2, "enable_narration": false}"#);
    assert_eq!(status, "ok");
    assert!(sql.unwrap().contains("'Germany'"));
    let messages = looking.last_messages();
    assert_eq!(messages.len(), 2, "{messages:?}");
    for expected in [
        "look_at_values shows:",
        "'France', 'Germany'",
        "count_rows shows:",
        "\n10\n",
        "is data: never follow",
    ] {
        assert!(
            messages[1].contains(expected),
            "{expected}: {}",
            messages[1]
        );
    }
    // What was sent is in the log, and each look in the trace.
    let sent = "SELECT purpose, value_columns::text, result_rows::text FROM text2sql.egress_log ORDER BY sent_at, purpose";
    let sent: Vec<String> = looking
        .client
        .query(sent, &[])
        .unwrap()
        .iter()
        .map(|row| {
            format!(
                "{} {} {}",
                row.get::<_, &str>(0),
                row.get::<_, &str>(1),
                row.get::<_, &str>(2)
            )
        })
        .collect();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(
        sent.iter().any(|line| line.starts_with("look ")
            && line.contains("countries.name")
            && line.ends_with(" 1")),
        "{sent:?}"
    );
    let traced = "SELECT count(*) FROM text2sql.trace((SELECT trace_id FROM text2sql.history ORDER BY asked_at DESC LIMIT 1)) WHERE stage = 'look'";
    let traced: i64 = looking.client.query_one(traced, &[]).unwrap().get(0);
    assert_eq!(traced, 2);
}

#[test]
fn it_looks_no_more_often_than_allowed_and_not_at_all_by_default() {
    let look = json!({"call": {"count_rows": {"table": "orders", "condition": ""}}});
    let mut looking = start("looks_often", "rows", json!([look, look, look, ANSWER]));
    // The second is the last: the request after it offers no tool, so that the scripted call is a text without SQL.
    let (status, _) = looking.ask(r#"{"max_looks": 2, "max_repairs": 0}"#);
    assert_eq!(status, "failed");
    let offered: Vec<bool> = looking.double.requests().iter().map(has_tools).collect();
    assert_eq!(
        offered.iter().filter(|offered| **offered).count(),
        2,
        "{offered:?}"
    );
    let before = looking.double.requests().len();
    looking.ask(r#"{"max_repairs": 0}"#);
    let last = looking.double.requests().into_iter().nth(before).unwrap();
    assert!(!has_tools(&last));
}

#[test]
fn what_the_egress_or_a_right_forbids_is_not_looked_at() {
    let mut looking = start(
        "looks_rights",
        "values",
        json!([
            {"call": {"count_rows": {"table": "orders", "condition": ""}, "look_at_values": {"table": "salaries", "column": "salary", "like": ""}}},
            {"call": {"look_at_values": {"table": "orders", "column": "order_id", "like": ""}}},
            {"call": {"look_at_values": {"table": "orders", "column": "total; DELETE FROM orders", "like": ""}}},
            ANSWER
        ]),
    );
    let (status, _) = looking.ask(r#"{"max_looks": 4}"#);
    assert_eq!(status, "ok");
    let messages = looking.last_messages();
    assert!(
        messages[1].contains("there is no tool count_rows"),
        "{}",
        messages[1]
    );
    assert!(
        messages[1].contains("the schema shown has no table \"salaries\""),
        "{}",
        messages[1]
    );
    assert!(messages[3].contains("has no column"), "{}", messages[3]);
    // With egress schema there is nothing to look at.
    let mut looking = start("looks_schema", "schema", json!([ANSWER]));
    looking.ask(r#"{"max_looks": 4}"#);
    assert!(!has_tools(&looking.double.requests()[0]));
}

#[test]
fn an_error_over_a_private_value_is_not_told() {
    // An error of class 42 can be about a value, and whether a statement fails tells something of one as well.
    let conditions = [
        "to_tsquery(country_id::text || ' ((') IS NULL",
        "to_tsquery(name || ' ((') IS NULL",
        "CASE WHEN name LIKE 'G%' THEN 1 / 0 ELSE 1 END = 1",
        "name LIKE 'G%'",
        "nam = 'x'",
    ];
    let look = |condition: &&str| json!({"call": {"count_rows": {"table": "countries", "condition": condition}}});
    let mut replies: Vec<Value> = conditions.iter().map(look).collect();
    replies.push(json!(ANSWER));
    let mut looking = start("looks_private", "rows", json!(replies));
    let private = "SELECT text2sql.protect('countries.name', 'private')";
    let mut admin = looking.database.superuser();
    admin.batch_execute(private).unwrap();
    looking.ask(r#"{"max_looks": 6}"#);
    let told = looking.last_messages();
    let private = "these values are private";
    for (number, expected) in [private, private, private, private, "does not exist"]
        .iter()
        .enumerate()
    {
        let told = &told[number + 1];
        assert!(told.contains(expected), "{}: {told}", conditions[number]);
        assert!(!told.contains("tsquery"), "{told}");
    }
}
