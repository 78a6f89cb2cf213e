//! Joins learned from executed statements: which roles see the suggestions, and which joins are already known.

use std::sync::{Arc, Mutex};

use postgres::Client;
use text2sql_server_tests::{TestDatabase, connect_listening};

/// What is suggested, as `table.column, … = table.column, …`.
fn suggested(client: &mut Client) -> Vec<String> {
    let sql = "SELECT replace(object, ', ', ',') || ' = ' || replace(suggestion, ', ', ',')
               FROM text2sql.suggest('joins') ORDER BY 1";
    let rows = client.query(sql, &[]).unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// A shop whose shipments no key binds to anything, and a curator who may read it.
fn shop(test: &str) -> TestDatabase {
    let database = TestDatabase::new(test);
    database
        .superuser()
        .batch_execute(
            "CREATE SCHEMA logistics;
             CREATE TABLE logistics.shipments (shipment integer, order_no bigint, line integer, \"Käufer\" text);
             CREATE TABLE logistics.parcels (order_no bigint, line integer, weight numeric, UNIQUE (order_no, line));
             GRANT USAGE ON SCHEMA logistics TO t2s_analyst;
             GRANT SELECT ON ALL TABLES IN SCHEMA logistics TO t2s_analyst;
             SELECT text2sql.grant_access('t2s_analyst', 'curator')",
        )
        .unwrap();
    database
}

fn add_example(client: &mut Client, number: usize, sql: &str) {
    let question = format!("What of number {number}?");
    client
        .query("SELECT text2sql.add_example($1, $2)", &[&question, &sql])
        .unwrap();
}

#[test]
fn joins_of_examples_are_suggested_once_and_to_those_who_may_see_both_sides() {
    let database = shop("learned");
    let mut admin = database.superuser();
    for (number, sql) in [
        "SELECT 1 FROM logistics.shipments s JOIN orders o ON s.order_no = o.order_id",
        "SELECT 1 FROM logistics.shipments JOIN logistics.parcels USING (order_no, line)",
        "SELECT 1 FROM logistics.shipments s, customers c WHERE c.iban = s.\"Käufer\"",
        // Declared keys, and joins of a table with itself, are not suggested.
        "SELECT 1 FROM orders JOIN customers USING (customer_id)",
        "SELECT 1 FROM logistics.parcels p JOIN logistics.parcels q ON p.line = q.line",
    ]
    .into_iter()
    .enumerate()
    {
        add_example(&mut admin, number, sql);
    }
    // The analyst may not read customers.iban.
    let mut analyst = database.analyst();
    let seen = [
        "logistics.shipments.line,logistics.shipments.order_no = logistics.parcels.line,logistics.parcels.order_no",
        "logistics.shipments.order_no = public.orders.order_id",
    ];
    assert_eq!(suggested(&mut analyst), seen);
    let buyer = "logistics.shipments.\"Käufer\" = public.customers.iban";
    assert_eq!(suggested(&mut admin).len(), 1);
    admin
        .batch_execute("SELECT text2sql.reject('join', id) FROM text2sql.joins")
        .unwrap();
    // A rejected join is not suggested again.
    assert!(suggested(&mut admin).is_empty());
    let rows = admin
        .query(
            "SELECT array_to_string(column_names, ',') || ' = ' || array_to_string(target_column_names, ','), status
             FROM text2sql.joins ORDER BY 1",
            &[],
        )
        .unwrap();
    let listed: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(listed.len(), 3);
    assert!(listed.iter().any(|(join, status)| {
        (join == buyer || *join == "public.customers.iban = logistics.shipments.\"Käufer\"")
            && status == "rejected"
    }));
}

#[test]
fn statistics_that_are_not_loaded_stop_nothing() {
    let database = shop("learned_without");
    let mut admin = database.superuser();
    let is_loaded: bool = admin
        .query_one(
            "SELECT current_setting('shared_preload_libraries') LIKE '%pg_stat_statements%'",
            &[],
        )
        .unwrap()
        .get(0);
    admin
        .batch_execute(
            "CREATE SCHEMA \"Extras\"; CREATE EXTENSION pg_stat_statements SCHEMA \"Extras\"",
        )
        .unwrap();
    add_example(
        &mut admin,
        1,
        "SELECT 1 FROM logistics.shipments s JOIN orders o ON s.order_no = o.order_id",
    );
    let notices = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notices);
    let mut listener = connect_listening("t2s_learned_without", None, move |notice| {
        kept.lock().unwrap().push(notice);
    });
    assert_eq!(
        suggested(&mut listener),
        ["logistics.shipments.order_no = public.orders.order_id"]
    );
    let told = notices.lock().unwrap().join("\n");
    assert_eq!(
        told.contains("pg_stat_statements is not used"),
        !is_loaded,
        "{told}"
    );
}
