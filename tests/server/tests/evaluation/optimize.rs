//! What `text2sql.optimize` proposes makes real plans cheaper, and nothing is left behind. Needs the
//! extension hypopg on the server.

use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::skipped::{extension_or_skip, shared_or_skip};

/// Best proposal of a kind: SQL, cost before, cost after.
fn best(client: &mut Client, kind: &str, sql: &str) -> Option<(String, f64, f64)> {
    let row = client
        .query_opt(
            "SELECT sql, cost_before, cost_after FROM text2sql.optimize($1)
             WHERE kind = $2 AND cost_after IS NOT NULL ORDER BY cost_after LIMIT 1",
            &[&sql, &kind],
        )
        .unwrap()?;
    Some((row.get(0), row.get(1), row.get(2)))
}

/// The planner's cost now.
fn cost(client: &mut Client, sql: &str) -> f64 {
    let query = "SELECT cost FROM text2sql.explain_plan($1) WHERE step = 0";
    client.query_one(query, &[&sql]).unwrap().get(0)
}

/// Creates the proposed index and compares the planner's estimate with the prediction.
fn confirm(client: &mut Client, sql: &str, least_factor: f64) {
    let (ddl, before, promised) = best(client, "index", sql).unwrap_or_else(|| panic!("{sql}"));
    assert!(
        promised * least_factor < before,
        "{sql}: {before} to {promised}"
    );
    for statement in ddl.split(";\n") {
        client
            .batch_execute(&statement.replace(" CONCURRENTLY", ""))
            .unwrap();
    }
    let after = cost(client, sql);
    assert!(
        after < before / least_factor,
        "{sql}: {before}, promised {promised}, got {after}"
    );
    // The estimate of a hypothetical index is close to the real one.
    assert!(
        (after - promised).abs() <= promised * 0.5 + 10.0,
        "{promised} {after}"
    );
    // It is not proposed a second time.
    let again = best(client, "index", sql);
    assert!(again.is_none_or(|(again, ..)| again != ddl), "{sql}");
}

#[test]
fn proposed_indexes_make_queries_cheaper() {
    let database = TestDatabase::new("optimize");
    let mut client = database.superuser();
    if !extension_or_skip(&mut client, "hypopg") {
        return;
    }
    client
        .batch_execute(
            "SET max_parallel_workers_per_gather = 0;
             INSERT INTO orders SELECT n, 1 + n % 40, DATE '2020-01-01' + n % 2000, n % 977
             FROM generate_series(1000, 60000) AS n;
             CREATE TABLE letters AS SELECT n AS id, md5(n::text) AS body, n % 7 AS kind FROM generate_series(1, 30000) n;
             ANALYZE",
        )
        .unwrap();
    confirm(
        &mut client,
        "SELECT * FROM orders WHERE ordered_on = DATE '2021-05-05'",
        5.0,
    );
    confirm(
        &mut client,
        "SELECT * FROM letters WHERE lower(body) = 'x'",
        2.5,
    );
    confirm(
        &mut client,
        "SELECT * FROM orders ORDER BY total DESC LIMIT 5",
        20.0,
    );
    confirm(
        &mut client,
        "SELECT c.name, o.total FROM customers c JOIN orders o USING (customer_id) WHERE c.customer_id = 7 AND o.total > 970",
        3.0,
    );
    // Hypothetical indexes are dropped.
    let left: i64 = client
        .query_one("SELECT count(*) FROM hypopg()", &[])
        .unwrap()
        .get(0);
    assert_eq!(left, 0);
}

#[test]
fn the_analyst_gets_the_same_advice_without_owning_anything() {
    let database = TestDatabase::new("optimize_analyst");
    let mut admin = database.superuser();
    if !extension_or_skip(&mut admin, "hypopg") {
        return;
    }
    admin
        .batch_execute(
            "INSERT INTO orders SELECT n, 1 + n % 40, DATE '2020-01-01' + n % 2000, n FROM generate_series(1000, 60000) AS n;
             ANALYZE; REVOKE EXECUTE ON FUNCTION hypopg_reset() FROM PUBLIC",
        )
        .unwrap();
    let mut analyst = database.analyst();
    let sql = "SELECT * FROM orders WHERE ordered_on = DATE '2021-05-05'";
    let (ddl, before, after) = best(&mut analyst, "index", sql).unwrap();
    assert_eq!(
        ddl,
        "CREATE INDEX CONCURRENTLY ON public.orders (ordered_on)"
    );
    assert!(after < before / 5.0);
    // Without the privilege to use hypopg it reports that and continues.
    admin
        .batch_execute("REVOKE EXECUTE ON FUNCTION hypopg_create_index(text) FROM PUBLIC")
        .unwrap();
    let rows = analyst
        .query(
            "SELECT kind, explanation, cost_after FROM text2sql.optimize($1)",
            &[&sql],
        )
        .unwrap();
    assert!(
        rows.iter()
            .any(|row| row.get::<_, String>(1).contains("hypopg is not installed"))
    );
    // A column that the analyst cannot read is not mentioned.
    admin
        .batch_execute(
            "CREATE INDEX secret ON customers (iban); CREATE INDEX open ON customers (country_id)",
        )
        .unwrap();
    let sql = "SELECT name FROM customers WHERE country_id = 1 AND name = 'customer 3'";
    let rows = analyst
        .query(
            "SELECT concat(explanation, sql, caveats) FROM text2sql.optimize($1)",
            &[&sql],
        )
        .unwrap();
    assert!(
        rows.iter()
            .all(|row| !row.get::<_, String>(0).contains("secret"))
    );
}

#[test]
fn pagila_gets_cheaper() {
    let Some(shared) = shared_or_skip("Pagila") else {
        return;
    };
    let folder = shared.join("data/samples");
    let database = TestDatabase::new("optimize_pagila");
    let name = "t2s_optimize_pagila";
    for file in ["pagila-schema.sql", "pagila-data.sql"] {
        let status = std::process::Command::new("psql")
            .args(["-qX", "-d", name, "-o", "/dev/null", "-f"])
            .arg(folder.join(file))
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
    }
    let mut client = database.superuser();
    if !extension_or_skip(&mut client, "hypopg") {
        return;
    }
    client
        .batch_execute("SET max_parallel_workers_per_gather = 0; SET search_path = public; ANALYZE")
        .unwrap();
    confirm(
        &mut client,
        "SELECT * FROM rental WHERE return_date IS NULL AND customer_id = 5",
        10.0,
    );
    let sql = "SELECT c.first_name, (SELECT count(*) FROM rental r WHERE r.customer_id = c.customer_id) AS rentals FROM customer c";
    let (_, before, after) = best(&mut client, "rewrite", sql).unwrap();
    assert!(after * 100.0 < before, "{before} {after}");
}
