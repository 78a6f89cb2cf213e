//! What `text2sql.optimize` proposes on the demo database makes real queries faster: each index is
//! made, and both are timed. Needs the extension hypopg on the server.

use std::path::Path;
use std::time::{Duration, Instant};

use postgres::Client;
use text2sql_server_tests::TestDatabase;
use text2sql_server_tests::skipped::extension_or_skip;

/// Runs a script of the demo database with psql, because it copies from its own text.
fn load(database: &str, part: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../demo/{part}.sql"));
    let status = std::process::Command::new("psql")
        .args([
            "-qX",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            database,
            "-o",
            "/dev/null",
            "-f",
        ])
        .arg(&file)
        .status()
        .unwrap();
    assert!(status.success(), "{}", file.display());
}

/// The fastest of several runs: other load of the machine cannot make it faster.
fn fastest(client: &mut Client, sql: &str) -> Duration {
    (0..20)
        .map(|_| {
            let start = Instant::now();
            client.simple_query(sql).unwrap();
            start.elapsed()
        })
        .min()
        .unwrap()
}

#[test]
fn proposed_indexes_make_the_demo_database_faster() {
    let database = TestDatabase::new("optimize_demo");
    let mut client = database.superuser();
    if !extension_or_skip(&mut client, "hypopg") {
        return;
    }
    client
        .batch_execute("DROP TABLE orders, customers, countries, salaries")
        .unwrap();
    for part in ["schema", "data"] {
        load("t2s_optimize_demo", part);
    }
    client
        .batch_execute("SET max_parallel_workers_per_gather = 0; ANALYZE")
        .unwrap();
    for (sql, least_cost_factor, least_time_factor) in [
        (
            "SELECT product_id, rating FROM reviews WHERE customer_id = 77",
            10.0,
            2.0,
        ),
        (
            "SELECT return_id, refund_amount FROM returns ORDER BY refund_amount DESC LIMIT 10",
            10.0,
            2.0,
        ),
        (
            "SELECT started_at, pages_viewed FROM web.sessions WHERE customer_id = 77",
            10.0,
            2.0,
        ),
    ] {
        let row = client
            .query_one(
                "SELECT sql, cost_before, cost_after FROM text2sql.optimize($1)
                 WHERE kind = 'index' AND cost_after IS NOT NULL ORDER BY cost_after LIMIT 1",
                &[&sql],
            )
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        let (ddl, before, after): (String, f64, f64) = (row.get(0), row.get(1), row.get(2));
        assert!(
            after * least_cost_factor < before,
            "{sql}: {before} to {after}"
        );
        let slow = fastest(&mut client, sql);
        client
            .batch_execute(&ddl.replace(" CONCURRENTLY", ""))
            .unwrap();
        let fast = fastest(&mut client, sql);
        assert!(
            fast.mul_f64(least_time_factor) < slow,
            "{sql}: {slow:?} to {fast:?}, promised {before} to {after}"
        );
    }
}

#[test]
fn a_sub_query_for_each_row_of_the_demo_database_becomes_a_join() {
    let database = TestDatabase::new("optimize_demo_rewrite");
    let mut client = database.superuser();
    if !extension_or_skip(&mut client, "hypopg") {
        return;
    }
    client
        .batch_execute("DROP TABLE orders, customers, countries, salaries")
        .unwrap();
    for part in ["schema", "data"] {
        load("t2s_optimize_demo_rewrite", part);
    }
    client
        .batch_execute("SET max_parallel_workers_per_gather = 0; ANALYZE")
        .unwrap();
    let sql = "SELECT p.name, (SELECT count(*) FROM reviews r WHERE r.product_id = p.product_id AND r.rating = 1) AS bad FROM products p";
    let row = client
        .query_one(
            "SELECT sql, cost_before, cost_after FROM text2sql.optimize($1)
             WHERE kind = 'rewrite' ORDER BY cost_after LIMIT 1",
            &[&sql],
        )
        .unwrap();
    let (rewrite, before, after): (String, f64, f64) = (row.get(0), row.get(1), row.get(2));
    assert!(after * 2.0 < before, "{before} to {after}: {rewrite}");
    let (slow, fast) = (fastest(&mut client, sql), fastest(&mut client, &rewrite));
    assert!(fast * 2 < slow, "{slow:?} to {fast:?}");
}
