//! Pagila, a third-party sample database, asked through an OpenAI-compatible endpoint. The replies
//! are scripted: this shows that a real schema goes out and real answers come back, not that a
//! model is right.

use std::process::Command;

use model_double::{ModelDouble, Script};
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::skipped::shared_or_skip;

/// Loads the scripts with psql, because they copy from their own text.
fn load(database: &str, folder: &std::path::Path) {
    for file in ["pagila-schema.sql", "pagila-data.sql"] {
        let status = Command::new("psql")
            .args([
                "-X",
                "-q",
                "-d",
                database,
                "-c",
                "SET client_min_messages = error",
                "-f",
            ])
            .arg(folder.join(file))
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{file}");
    }
}

#[test]
fn questions_about_pagila_are_answered_through_an_endpoint() {
    let Some(shared) = shared_or_skip("Pagila") else {
        return;
    };
    let script = Script::new()
        .on("longest films", [r#"{"status": "ok", "sql": "SELECT title, length FROM film ORDER BY length DESC, title LIMIT 3", "sentence": "{rows[0].title} is the longest with {rows[0].length} minutes."}"#])
        .on("revenue by category", [r#"{"status": "ok", "sql": "SELECT c.name AS category, sum(p.amount) AS revenue FROM payment p JOIN rental r USING (rental_id) JOIN inventory i USING (inventory_id) JOIN film_category fc USING (film_id) JOIN category c USING (category_id) GROUP BY c.name ORDER BY revenue DESC", "sentence": "{rows[0].category} leads with {rows[0].revenue}."}"#])
        .on("rented in July", [r#"{"status": "ok", "sql": "SELECT count(*) AS rentals FROM rental WHERE rental_date >= TIMESTAMPTZ '2022-07-01' AND rental_date < TIMESTAMPTZ '2022-08-01'", "sentence": "{rows[0].rentals} rentals."}"#]);
    let double = ModelDouble::start(script).unwrap();
    let database = TestDatabase::new("pagila");
    let mut admin = database.superuser();
    admin
        .batch_execute("DROP TABLE orders, customers, countries, salaries")
        .unwrap();
    load("t2s_pagila", &shared.join("data/samples"));
    admin
        .batch_execute("GRANT USAGE ON SCHEMA public TO t2s_analyst; GRANT SELECT ON ALL TABLES IN SCHEMA public TO t2s_analyst; ALTER DATABASE t2s_pagila SET search_path = public")
        .unwrap();
    // Alone, it commits after each table, and waits for no session with another in hand.
    admin.batch_execute("ANALYZE").unwrap();
    database.add_model("m", "openai", &double.base_url("ok"), "");
    let mut client = database.analyst();
    let mut ask = |question: &str| -> (String, String, i64) {
        let sql = "SELECT status, answer, coalesce(row_count, 0) FROM text2sql.ask($1)";
        let row = client.query_one(sql, &[&question]).unwrap();
        (row.get(0), row.get(1), row.get(2))
    };
    let (status, answer, rows) = ask("What are the three longest films?");
    assert_eq!((status.as_str(), rows), ("ok", 3), "{answer}");
    // Ten films have 185 minutes: that one of them is the longest would be wrong.
    assert!(
        answer.ends_with("are among 10 that share the first place with length 185 each."),
        "{answer}"
    );
    let (status, answer, rows) = ask("Show the revenue by category");
    assert_eq!((status.as_str(), rows), ("ok", 16), "{answer}");
    let (status, answer, _) = ask("How many films were rented in July 2022?");
    assert_eq!(status, "ok", "{answer}");
    // The prompt holds the whole readable schema: partitions folded, keys, enum and domain.
    let sent = serde_json::to_string(&double.requests()[0].body).unwrap();
    for expected in [
        "payment (partitioned table",
        "film_id integer -> film(film_id)",
        "'PG-13'",
        "film_list (view",
    ] {
        assert!(sent.contains(expected), "{expected} in {sent}");
    }
    assert!(!sent.contains("payment_p2022"), "no partition is named");
}
