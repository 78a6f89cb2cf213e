//! Rewrites that a model proposes: an equal faster one is shown with what proves it, a subtly
//! different one is not, a refused one is dropped, and constants stay in the server.

use model_double::{ModelDouble, Script};
use serde_json::json;
use text2sql_server_tests::TestDatabase;

const SQL: &str = "SELECT o.order_id FROM orders o WHERE o.total = (SELECT max(i.total) FROM orders i \
     WHERE i.customer_id = o.customer_id) AND o.total > 4711";
const EQUAL: &str = "SELECT o.order_id FROM orders o JOIN (SELECT customer_id, max(total) AS most \
     FROM orders GROUP BY customer_id) AS m ON m.customer_id = o.customer_id AND m.most = o.total WHERE o.total > $1";
/// One row for each customer, though two orders may be the largest.
const DIFFERENT: &str =
    "SELECT max(order_id) AS order_id FROM orders WHERE total > $1 GROUP BY customer_id";
const REFUSED: &str =
    "SELECT o.order_id FROM orders o WHERE o.total > $1 AND pg_sleep(0) IS NOT NULL";

/// Kind, explanation, SQL and caveats of a proposal.
type Proposal = (String, String, String, String);

/// The result of a reply, and the request.
fn proposed(rewrites: &[&str], path: &str, sql: &str, test: &str) -> (Vec<Proposal>, Vec<String>) {
    let rewrites: Vec<_> = rewrites
        .iter()
        .map(|sql| json!({"sql": sql, "change": "It groups once. See https://evil.example/x"}))
        .collect();
    let reply = json!({"rewrites": rewrites}).to_string();
    let double = ModelDouble::start(Script::new().otherwise(&reply)).unwrap();
    let database = TestDatabase::new(test);
    database.add_model("m", "openai", &double.base_url(path), ", egress 'schema'");
    database
        .superuser()
        .batch_execute(
            "INSERT INTO orders SELECT n, 1 + n % 40, DATE '2025-01-01', 4700 + n / 80 FROM generate_series(1001, 2000) AS n;
             ANALYZE orders; GRANT SELECT ON orders TO t2s_analyst",
        )
        .unwrap();
    let rows = database
        .analyst()
        .query(
            "SELECT kind, explanation, coalesce(sql, ''), coalesce(caveats, '')
             FROM text2sql.optimize($1, '{\"use_model\": true}')",
            &[&sql],
        )
        .unwrap();
    let rows = rows
        .iter()
        .map(|row| (row.get(0), row.get(1), row.get(2), row.get(3)));
    let sent = double.requests().into_iter();
    (
        rows.collect(),
        sent.map(|request| request.body.to_string()).collect(),
    )
}

#[test]
fn an_equal_one_is_shown_others_are_not() {
    let (rows, sent) = proposed(&[EQUAL, DIFFERENT, REFUSED], "ok", SQL, "optimize_model");
    let of_model: Vec<_> = rows
        .iter()
        .filter(|(_, explanation, ..)| explanation.contains("odel \"m\""))
        .collect();
    let [(kind, explanation, sql, caveats), (note, left_out, ..)] = of_model.as_slice() else {
        panic!("{rows:?}");
    };
    assert_eq!(
        (kind.as_str(), explanation.as_str()),
        (
            "rewrite",
            "Model \"m\" wrote it otherwise: It groups once. See. On the data of this moment both give the same rows (EXCEPT ALL, both ways)."
        )
    );
    assert_eq!(*sql, EQUAL.replace("$1", "4711"));
    assert!(caveats.starts_with("No rule proves it for other data"));
    assert_eq!(note, "note");
    assert_eq!(
        left_out,
        "Of 3 written by model \"m\": 1 gives other rows on the data, 1 was refused by the guard or is wrong."
    );
    assert!(sent[0].contains("o.total > $1") && !sent[0].contains("4711"));
}

#[test]
fn one_without_rows_to_compare_is_not_shown_as_equal() {
    let sql = SQL.replace("4711", "999999");
    let (rows, _) = proposed(&[DIFFERENT], "ok", &sql, "optimize_unproved");
    let kinds: Vec<&str> = rows
        .iter()
        .filter(|(_, explanation, ..)| explanation.contains("odel \"m\""))
        .map(|(kind, ..)| kind.as_str())
        .collect();
    assert_eq!(kinds, ["unproved"], "{rows:?}");
}

#[test]
fn a_failing_endpoint_takes_nothing_away() {
    let (rows, _) = proposed(&[], "status-400", SQL, "optimize_down");
    assert_eq!(rows[0].0, "present");
    let (kind, explanation, ..) = rows.last().unwrap();
    assert_eq!(kind, "note");
    assert!(
        explanation.starts_with("No rewrite by a model: "),
        "{explanation}"
    );
}
