//! Partitioned tables, also with partitions on other servers: postgres_fdw reads these at the same time.

use postgres::Client;
use text2sql_server_tests::waiting::wait_until;
use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

fn json(client: &mut Client, sql: &str) -> String {
    let run = "SELECT result_rows::text FROM text2sql.run_json($1)";
    client.query_one(run, &[&sql]).unwrap().get(0)
}

fn rule(client: &mut Client, sql: &str) -> Option<String> {
    let validate = "SELECT rule FROM text2sql.validate($1)";
    client.query_one(validate, &[&sql]).unwrap().get(0)
}

/// A partitioned table with one partition here and two on other servers, which are this one.
fn sales(database: &TestDatabase) -> Client {
    let mut admin = database.superuser();
    let port: String = admin.query_one("SHOW port", &[]).unwrap().get(0);
    let host = std::env::var("PGHOST").expect("PGHOST");
    let server = |name: &str| {
        format!(
            "CREATE SERVER {name} FOREIGN DATA WRAPPER postgres_fdw
                 OPTIONS (host '{host}', port '{port}', dbname '{}', async_capable 'true');
             CREATE USER MAPPING FOR {ANALYST} SERVER {name} OPTIONS (user '{ANALYST}', password_required 'false');",
            database.name()
        )
    };
    admin
        .batch_execute(&format!(
            "CREATE EXTENSION postgres_fdw; {} {}
             CREATE SCHEMA far; GRANT USAGE ON SCHEMA far TO {ANALYST};
             CREATE TABLE far.sales_2024 AS SELECT n AS sale_id, 2024 AS year, n::numeric AS amount FROM generate_series(1, 10) n;
             CREATE TABLE far.sales_2025 AS SELECT n AS sale_id, 2025 AS year, n::numeric AS amount FROM generate_series(11, 30) n;
             CREATE VIEW far.slow AS SELECT 1 AS n FROM pg_sleep(600);
             GRANT SELECT ON ALL TABLES IN SCHEMA far TO {ANALYST};
             CREATE TABLE sales (sale_id int, year int, amount numeric) PARTITION BY LIST (year);
             CREATE TABLE sales_2026 PARTITION OF sales FOR VALUES IN (2026);
             INSERT INTO sales SELECT n, 2026, n FROM generate_series(31, 60) n;
             CREATE FOREIGN TABLE sales_2024 PARTITION OF sales FOR VALUES IN (2024)
                 SERVER one OPTIONS (schema_name 'far', table_name 'sales_2024');
             CREATE FOREIGN TABLE sales_2025 PARTITION OF sales FOR VALUES IN (2025)
                 SERVER two OPTIONS (schema_name 'far', table_name 'sales_2025');
             CREATE FOREIGN TABLE slow (n int) SERVER one OPTIONS (schema_name 'far', table_name 'slow');
             GRANT SELECT ON sales, sales_2024, sales_2026, slow TO {ANALYST};
             REVOKE ALL ON SCHEMA far FROM PUBLIC",
            server("one"),
            server("two")
        ))
        .unwrap();
    admin
}

#[test]
fn partitions_on_other_servers_are_read_where_that_is_allowed() {
    let database = TestDatabase::new("partitions");
    let mut admin = sales(&database);
    let all = "SELECT count(*) AS n, sum(amount) AS total FROM sales";

    let mut closed = database.analyst();
    assert_eq!(rule(&mut closed, all).as_deref(), Some("relation"));
    assert_eq!(
        rule(&mut closed, "SELECT n FROM slow").as_deref(),
        Some("relation")
    );
    // The local partition can be read alone: by pruning, or by its name.
    assert_eq!(
        json(&mut closed, "SELECT count(*) AS n FROM sales_2026"),
        r#"[{"n": 30}]"#
    );

    let mut open = database.analyst_with("SET text2sql.allow_foreign_tables = on");
    assert_eq!(json(&mut open, all), r#"[{"n": 60, "total": 1830}]"#);
    let row = open
        .query_one(
            "SELECT status, result_rows::text FROM text2sql.ask('How many sales are there?')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    assert!(row.get::<_, &str>(1).contains("60"));
    // Both servers are asked at the same time.
    let explain = "SET ROLE t2s_analyst; EXPLAIN SELECT sale_id FROM sales";
    let plan: Vec<String> = admin
        .simple_query(explain)
        .unwrap()
        .into_iter()
        .filter_map(|message| match message {
            postgres::SimpleQueryMessage::Row(row) => row.get(0).map(str::to_owned),
            _ => None,
        })
        .collect();
    let asynchronous = plan
        .iter()
        .filter(|line| line.contains("Async Foreign Scan"));
    assert_eq!(asynchronous.count(), 2, "{plan:?}");
    admin.batch_execute("RESET ROLE").unwrap();

    // Writes do not get through to the other servers, and connections stay usable after an error there.
    assert_eq!(
        rule(&mut open, "DELETE FROM sales").as_deref(),
        Some("statement")
    );
    let (code, _, _) = error_of(
        &mut open,
        "SELECT * FROM text2sql.run_json('SELECT 1 / (sale_id - sale_id) FROM sales')",
    );
    assert_eq!(code, "22012");
    assert_eq!(json(&mut open, all), r#"[{"n": 60, "total": 1830}]"#);

    // What is hidden is hidden with all of its partitions.
    admin
        .batch_execute("SELECT text2sql.protect('sales', 'hidden')")
        .unwrap();
    for table in ["sales", "sales_2024", "sales_2026"] {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(
            rule(&mut open, &sql).as_deref(),
            Some("relation"),
            "{table}"
        );
    }
}

#[test]
fn the_time_limit_ends_the_query_on_the_other_server() {
    let database = TestDatabase::new("partitions_time");
    let mut admin = sales(&database);
    let mut open = database.analyst_with(
        "SET text2sql.allow_foreign_tables = on; SET text2sql.query_timeout = '300ms'",
    );
    let (code, message, _) = error_of(
        &mut open,
        "SELECT * FROM text2sql.run_json('SELECT n FROM slow')",
    );
    assert_eq!(code, "57014", "{message}");
    let running = "SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'PgSleep'";
    wait_until("the query there has ended", || {
        admin.query_one(running, &[]).unwrap().get::<_, i64>(0) == 0
    });
    assert_eq!(
        json(&mut open, "SELECT count(*) AS n FROM sales"),
        r#"[{"n": 60}]"#
    );
}
