//! What a role may read is what its questions see, and changes are seen by the next question,
//! whoever made them.

use text2sql_server_tests::{ANALYST, TestDatabase, error_of};

/// Whether the prompt of a question holds a text.
fn sees(client: &mut postgres::Client, text: &str) -> bool {
    let prompt = "SELECT text2sql.preview_prompt('How many orders?')";
    let prompt: String = client.query_one(prompt, &[]).unwrap().get(0);
    prompt.contains(text)
}

#[test]
fn changes_of_other_sessions_are_seen_by_the_next_question() {
    let database = TestDatabase::new("freshness");
    database.create_role("group", "");
    let mut client = database.analyst();
    let mut admin = database.superuser();
    assert!(sees(&mut client, "orders (") && !sees(&mut client, "salaries"));
    let steps = [
        (
            "GRANT SELECT ON salaries TO t2s_analyst",
            "salaries (",
            true,
        ),
        (
            "REVOKE SELECT ON salaries FROM t2s_analyst",
            "salaries (",
            false,
        ),
        (
            "ALTER TABLE orders ADD COLUMN channel text",
            "channel text",
            true,
        ),
        (
            "ALTER TABLE orders RENAME COLUMN channel TO sales_channel",
            "sales_channel text",
            true,
        ),
        (
            "COMMENT ON TABLE orders IS 'what people bought'",
            "what people bought",
            true,
        ),
        (
            "COMMENT ON COLUMN orders.total IS 'with tax'",
            "with tax",
            true,
        ),
        (
            "REVOKE SELECT ON orders FROM t2s_analyst; GRANT SELECT (order_id, customer_id) ON orders TO t2s_analyst",
            "total numeric",
            false,
        ),
        (
            "GRANT SELECT (total) ON orders TO t2s_analyst",
            "total numeric",
            true,
        ),
        (
            "CREATE VIEW big_orders AS SELECT order_id FROM orders WHERE total > 100; GRANT SELECT ON big_orders TO t2s_analyst",
            "big_orders (view",
            true,
        ),
        ("DROP VIEW big_orders", "big_orders", false),
        (
            "CREATE TYPE size AS ENUM ('small'); CREATE TABLE boxes (size size); GRANT SELECT ON boxes TO t2s_analyst",
            "{'small'}",
            true,
        ),
        (
            "ALTER TYPE size ADD VALUE 'large'",
            "{'small', 'large'}",
            true,
        ),
        (
            "GRANT SELECT ON salaries TO t2s_freshness_group; GRANT t2s_freshness_group TO t2s_analyst",
            "salaries (",
            true,
        ),
        (
            "REVOKE t2s_freshness_group FROM t2s_analyst",
            "salaries (",
            false,
        ),
        (
            "REVOKE USAGE ON SCHEMA public FROM PUBLIC",
            "orders (",
            false,
        ),
        ("GRANT USAGE ON SCHEMA public TO PUBLIC", "orders (", true),
        (
            "REVOKE ALL ON salaries FROM t2s_freshness_group; DROP ROLE t2s_freshness_group",
            "orders (",
            true,
        ),
    ];
    for (change, text, expect) in steps {
        admin.batch_execute(change).unwrap();
        assert_eq!(sees(&mut client, text), expect, "after {change}");
    }
}

#[test]
fn a_pooled_connection_that_changes_roles_sees_what_each_may_see() {
    let database = TestDatabase::new("pool");
    let mut client = database.superuser();
    let payroll = database.create_role("payroll", "");
    client
        .batch_execute(&format!(
            "SELECT text2sql.grant_access('{payroll}'); GRANT SELECT ON salaries TO {payroll}"
        ))
        .unwrap();
    for _ in 0..3 {
        client
            .batch_execute(&format!("SET ROLE {ANALYST}"))
            .unwrap();
        assert!(sees(&mut client, "orders (") && !sees(&mut client, "salaries ("));
        client
            .batch_execute(&format!("SET ROLE {payroll}"))
            .unwrap();
        assert!(!sees(&mut client, "orders (") && sees(&mut client, "salaries ("));
    }
}

#[test]
fn the_search_path_decides_how_names_are_written() {
    let database = TestDatabase::new("path");
    let mut client = database.superuser();
    client
        .batch_execute(
            "CREATE SCHEMA \"Sales Data\"; CREATE TABLE \"Sales Data\".\"Größe\" (id int)",
        )
        .unwrap();
    assert!(sees(&mut client, "\"Sales Data\".\"Größe\""));
    client
        .batch_execute("SET search_path = \"Sales Data\", public")
        .unwrap();
    assert!(sees(&mut client, "\n\"Größe\""));
}

#[test]
fn a_superuser_reads_everything_and_can_do_nothing_else() {
    let database = TestDatabase::new("superuser");
    let mut admin = database.superuser();
    let row = admin
        .query_one(
            "SELECT result_rows::text FROM text2sql.run_json('SELECT salary FROM salaries')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), r#"[{"salary": 987654}]"#);
    for sql in [
        "SELECT pg_read_file(''/etc/passwd'')",
        "SELECT rolpassword FROM pg_authid",
        "SELECT lo_import(''/etc/passwd'')",
    ] {
        let (code, _, _) = error_of(
            &mut admin,
            &format!("SELECT * FROM text2sql.run_json('{sql}')"),
        );
        assert!(["T2003", "T2004"].contains(&code.as_str()), "{sql}: {code}");
    }
}

#[test]
fn row_level_security_never_makes_a_silent_empty_answer_for_a_superuser() {
    let database = TestDatabase::new("rls");
    let mut admin = database.superuser();
    admin
        .batch_execute("ALTER TABLE orders ENABLE ROW LEVEL SECURITY; CREATE POLICY first_ten ON orders TO t2s_analyst USING (order_id <= 10)")
        .unwrap();
    let mut client = database.analyst();
    let count =
        "SELECT result_rows::text FROM text2sql.run_json('SELECT count(*) AS n FROM orders')";
    assert_eq!(
        client.query_one(count, &[]).unwrap().get::<_, &str>(0),
        r#"[{"n": 10}]"#
    );
    let (code, message, _) = error_of(&mut admin, count);
    assert_eq!(code, "T2003");
    assert!(message.contains("row-level security"), "{message}");
    let row = admin
        .query_one(
            "SELECT status, answer FROM text2sql.ask('How many orders are there?')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "not_permitted");
    admin.batch_execute(&format!("SET ROLE {ANALYST}")).unwrap();
    assert_eq!(
        admin.query_one(count, &[]).unwrap().get::<_, &str>(0),
        r#"[{"n": 10}]"#
    );
}

#[test]
fn partitions_are_one_table() {
    let database = TestDatabase::new("partitions");
    let mut admin = database.superuser();
    admin
        .batch_execute(
            "CREATE TABLE events (id int, at date NOT NULL) PARTITION BY RANGE (at);
             CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
             CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
             INSERT INTO events SELECT n, DATE '2024-06-01' + n FROM generate_series(1, 365) AS n;
             GRANT SELECT ON events TO t2s_analyst; ANALYZE events",
        )
        .unwrap();
    let mut client = database.analyst();
    assert!(sees(&mut client, "events (partitioned table") && !sees(&mut client, "events_2024"));
    let row = client
        .query_one(
            "SELECT status, result_rows::text FROM text2sql.ask('How many events are there?')",
            &[],
        )
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "ok");
    assert!(row.get::<_, &str>(1).contains("365"));
}
