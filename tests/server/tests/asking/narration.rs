//! The sentence about rows, from a model that may see them: true ones are shown, others are not, and
//! nothing is sent that may not be.

use model_double::{ModelDouble, Script};
use text2sql_server_tests::TestDatabase;

const SQL: &str = r#"{"sql": "SELECT c.name AS country, count(*) AS customers, min(k.mail) AS mail FROM customers AS k JOIN countries AS c USING (country_id) GROUP BY c.name ORDER BY customers DESC, country"}"#;

/// What is said without a model.
const FROM_ROWS: &str =
    "Number of customers by country: France 20 (50%) and Germany 20 (50%); 40 in all.";

fn answer(sentence: &str, egress: &str, test: &str) -> (String, Vec<serde_json::Value>) {
    let reply = serde_json::json!({"sentence": sentence}).to_string();
    let rule =
        serde_json::json!([{"match": "countries", "sequence": true, "replies": [SQL, reply]}]);
    let double = ModelDouble::start(Script::from_json(&rule.to_string()).unwrap()).unwrap();
    let database = TestDatabase::new(test);
    let options = format!(", egress '{egress}'");
    database.add_model("m", "openai", &double.base_url("ok"), &options);
    let row = database
        .analyst()
        .query_one(
            "SELECT answer FROM text2sql.ask('How many customers do the countries have?')",
            &[],
        )
        .unwrap();
    let bodies = double
        .requests()
        .into_iter()
        .map(|request| request.body.clone());
    (row.get(0), bodies.collect())
}

#[test]
fn a_true_sentence_is_shown() {
    let (sentence, sent) = answer(
        "France and Germany have 20 customers each.",
        "rows",
        "narrates",
    );
    assert_eq!(sentence, "France and Germany have 20 customers each.");
    assert_eq!(sent.len(), 2);
    let second = sent[1].to_string();
    assert!(second.contains("Germany") && second.contains("20"));
    assert!(!second.contains("example.org"), "addresses never leave");
    assert!(
        !second.contains("order_id"),
        "the call that tells has no schema to write SQL from"
    );
}

#[test]
fn a_wrong_number_a_stranger_or_a_link_is_not() {
    for (sentence, test) in [
        ("France has 21 customers.", "narrates_wrong"),
        (
            "France and Spain have 20 customers each.",
            "narrates_stranger",
        ),
    ] {
        let (shown, _) = answer(sentence, "rows", test);
        assert_eq!(shown, FROM_ROWS);
    }
    let link = "France has [20](https://evil.example/?q=20) customers.";
    let (shown, _) = answer(link, "rows", "narrates_link");
    assert_eq!(shown, "France has 20 customers.");
}

#[test]
fn below_the_egress_of_rows_nobody_is_asked() {
    for (egress, test) in [("schema", "narrates_schema"), ("values", "narrates_values")] {
        let (shown, sent) = answer("France has 20 customers.", egress, test);
        assert_eq!((shown.as_str(), sent.len()), (FROM_ROWS, 1));
    }
}
