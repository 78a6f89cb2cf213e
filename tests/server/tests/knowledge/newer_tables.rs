//! Tables of newer major versions: virtual generated columns and temporal keys, both since PostgreSQL 18.

use postgres::Client;
use text2sql_server_tests::{ANALYST, TestDatabase};

fn is_18(client: &mut Client) -> bool {
    let version = "SELECT current_setting('server_version_num')::int >= 180000";
    client.query_one(version, &[]).unwrap().get(0)
}

fn allowed(client: &mut Client, sql: &str) -> bool {
    let verdict = "SELECT allowed FROM text2sql.validate($1)";
    client.query_one(verdict, &[&sql]).unwrap().get(0)
}

#[test]
fn a_virtual_column_is_as_protected_as_what_it_is_computed_from() {
    let database = TestDatabase::new("virtual_columns");
    let (mut admin, mut analyst) = (database.superuser(), database.analyst());
    if !is_18(&mut admin) {
        return;
    }
    admin
        .batch_execute(&format!(
            "CREATE TABLE people (id integer, secret text, initial text GENERATED ALWAYS AS (left(secret, 1)) VIRTUAL,
                 label text GENERATED ALWAYS AS ('no ' || id::text) VIRTUAL);
             INSERT INTO people (id, secret) SELECT n, 'S' || n % 3 FROM generate_series(1, 300) AS n;
             GRANT SELECT ON people TO {ANALYST};
             ANALYZE people"
        ))
        .unwrap();
    let grouped = "SELECT count(*) FROM (SELECT initial AS i FROM people) AS p GROUP BY i";
    let lineage = "SELECT string_agg(l ->> 'column_name', ' ' ORDER BY l ->> 'column_name') FROM text2sql.validate($1), json_array_elements(lineage) AS l";
    let read: String = analyst.query_one(lineage, &[&grouped]).unwrap().get(0);
    assert_eq!(read, "initial secret");
    admin
        .batch_execute("SELECT text2sql.protect('people.secret', 'hidden')")
        .unwrap();
    assert!(!allowed(&mut analyst, "SELECT initial FROM people"));
    assert!(!allowed(&mut analyst, grouped));
    assert!(allowed(&mut analyst, "SELECT label FROM people"));
}

#[test]
fn values_of_a_virtual_column_are_not_said_to_be_known() {
    let database = TestDatabase::new("virtual_values");
    let mut admin = database.superuser();
    if !is_18(&mut admin) {
        return;
    }
    admin
        .batch_execute(
            "CREATE TABLE people (name text, initial text GENERATED ALWAYS AS (left(name, 1)) VIRTUAL);
             INSERT INTO people (name) SELECT 'S' || n % 3 FROM generate_series(1, 300) AS n;
             ANALYZE people",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let read = "SELECT array_agg(a.attname::text) FROM text2sql._index_value_columns v
         JOIN pg_attribute a ON a.attrelid = v.relation AND a.attnum = v.attribute
         WHERE v.relation = 'people'::regclass";
    let columns: Vec<String> = admin.query_one(read, &[]).unwrap().get(0);
    assert_eq!(columns, ["name"]);
}

#[test]
fn a_temporal_reference_is_no_join_of_equal_periods() {
    let database = TestDatabase::new("temporal_keys");
    let mut admin = database.superuser();
    if !is_18(&mut admin) {
        return;
    }
    admin
        .batch_execute(
            "CREATE EXTENSION btree_gist;
             CREATE TABLE rooms (id integer, during daterange, PRIMARY KEY (id, during WITHOUT OVERLAPS));
             CREATE TABLE bookings (order_id bigint REFERENCES orders, room integer, during daterange,
                 FOREIGN KEY (room, PERIOD during) REFERENCES rooms (id, PERIOD during))",
        )
        .unwrap();
    admin.batch_execute("CALL text2sql.refresh()").unwrap();
    let joins = "SELECT to_table::regclass::text FROM text2sql._index_joins WHERE from_table = 'bookings'::regclass";
    let targets: Vec<String> = admin
        .query(joins, &[])
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(targets, ["orders"]);
}
