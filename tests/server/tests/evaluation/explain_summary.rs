//! The summary of a model above the steps of an explanation: true ones are shown in the language
//! requested, false ones are not, and a failing model does not affect the steps.

use std::sync::{Arc, Mutex};

use model_double::{ModelDouble, Script};
use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase, connect_listening};

const SQL: &str = "SELECT c.name, count(*) AS orders FROM customers c JOIN orders o USING (customer_id) \
     WHERE c.name <> 'customer 7' AND o.total > 4711 GROUP BY c.name ORDER BY orders DESC LIMIT 3";

/// Step 0, if there is one; how many steps there are; what was warned of; what was sent.
fn explained(
    reply: &str,
    path: &str,
    egress: &str,
    arguments: &str,
    test: &str,
) -> (Option<String>, usize, Vec<String>, Vec<String>) {
    let reply = serde_json::json!({"summary": reply}).to_string();
    let double = ModelDouble::start(Script::new().otherwise(&reply)).unwrap();
    let database = TestDatabase::new(test);
    let options = format!(", egress '{egress}', timeout_ms '2000'");
    database.add_model("m", "openai", &double.base_url(path), &options);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&heard);
    let mut analyst = connect_listening(&format!("t2s_{test}"), Some(ANALYST), move |notice| {
        listener.lock().unwrap().push(notice);
    });
    let (first, count) = steps(&mut analyst, arguments);
    let warnings = heard.lock().unwrap().clone();
    let sent = double
        .requests()
        .into_iter()
        .map(|request| request.body.to_string())
        .collect();
    (first, count, warnings, sent)
}

fn steps(client: &mut Client, arguments: &str) -> (Option<String>, usize) {
    let query = format!("SELECT step, clause, explanation FROM text2sql.explain($1{arguments})");
    let rows = client.query(&query, &[&SQL]).unwrap();
    let first = rows.iter().find(|row| row.get::<_, i32>(0) == 0);
    if let Some(first) = first {
        assert_eq!(first.get::<_, &str>(1), "SUMMARY");
    }
    let steps = rows.iter().filter(|row| row.get::<_, i32>(0) > 0);
    (first.map(|row| row.get(2)), steps.count())
}

const STEPS: usize = 7;

#[test]
fn a_true_summary_is_step_0_and_the_constants_stay_here() {
    let (first, steps, warnings, sent) = explained(
        "Die {v3} customers mit den meisten orders über {v2}, ohne '{v1}'.",
        "ok",
        "schema",
        ", language => 'German'",
        "explain_summary",
    );
    let expected = "Die 3 customers mit den meisten orders über 4711, ohne 'customer 7'.";
    assert_eq!(first.as_deref(), Some(expected), "{warnings:?} {sent:?}");
    assert_eq!((steps, warnings.len(), sent.len()), (STEPS, 0, 1));
    let body = &sent[0];
    assert!(body.contains("in German") && body.contains("customer_id"));
    for constant in ["4711", "customer 7"] {
        assert!(!body.contains(constant), "{constant} in {body}");
    }
}

#[test]
fn at_the_egress_of_values_the_constants_are_seen() {
    let (first, _, warnings, sent) = explained(
        "The 3 customers with the most orders over 4711, without 'customer 7'.",
        "ok",
        "values",
        ", summary => true",
        "explain_summary_values",
    );
    assert!(first.is_some(), "{warnings:?}");
    assert!(sent[0].contains("4711") && sent[0].contains("in English"));
}

#[test]
fn a_lying_model_is_not_shown() {
    for (reply, test) in [
        (
            "The 4 customers with the most orders.",
            "explain_lie_number",
        ),
        ("Orders below 4711.", "explain_lie_comparison"),
        ("Customers of Spain.", "explain_lie_name"),
        ("Customers of all countries.", "explain_lie_table"),
        ("Only 'customer 7' is counted.", "explain_lie_not"),
    ] {
        let (first, steps, warnings, _) =
            explained(reply, "ok", "values", ", summary => true", test);
        assert_eq!((first, steps), (None, STEPS), "{reply}");
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0]
                .starts_with("no summary: the summary by model \"m\" was rejected because it has"),
            "{warnings:?}"
        );
        assert!(!warnings[0].contains("Spain"), "no word of the reply");
    }
}

#[test]
fn a_failing_endpoint_takes_nothing_from_the_steps() {
    let (first, steps, warnings, _) = explained(
        "x",
        "status-400",
        "schema",
        ", summary => true",
        "explain_summary_down",
    );
    assert_eq!((first, steps), (None, STEPS));
    assert!(warnings[0].starts_with("no summary: "), "{warnings:?}");
}

#[test]
fn nobody_is_asked_without_being_told_to() {
    let (first, steps, warnings, sent) =
        explained("x", "ok", "rows", "", "explain_summary_unasked");
    assert_eq!((first, steps), (None, STEPS));
    assert_eq!((warnings.len(), sent.len()), (0, 0));
}
