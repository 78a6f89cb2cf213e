//! What the result of a query itself refutes is not asked of the data.

use serde_json::value::RawValue;

use super::super::{Check, find, remove_refuted};
use text2sql_domain::schema_fixture::shop;
use text2sql_domain::sql_result::{Cell, Execution};

/// The checks that are left where the query gives these rows of one column.
fn left(sql: &str, rows: &[Option<&str>]) -> Vec<Check> {
    let mut found = find(sql, &shop()).unwrap().expect(sql);
    let execution = Execution {
        rows: rows
            .iter()
            .map(|text| {
                vec![Cell {
                    text: text.map(str::to_owned),
                    json: RawValue::NULL.to_owned(),
                }]
            })
            .collect(),
        ..Execution::default()
    };
    remove_refuted(&mut found, &execution);
    let mut checks: Vec<Check> = found.iter().map(|finding| finding.check).collect();
    checks.dedup();
    checks
}

#[test]
fn a_row_proves_that_the_compared_value_occurs() {
    for sql in [
        "SELECT name FROM customers WHERE name = 'Anna'",
        "SELECT name FROM customers WHERE (name = 'Anna') AND customer_id > 3",
        "SELECT name FROM customers WHERE name LIKE 'A%'",
        "SELECT name, count(*) FROM customers WHERE name = 'Anna' GROUP BY name",
    ] {
        assert_eq!(left(sql, &[Some("Anna")]), [], "{sql}");
        assert_eq!(left(sql, &[]), [Check::UnknownValue], "{sql}");
    }
}

#[test]
fn an_aggregate_proves_it_if_it_is_of_some_row() {
    let sql = "SELECT count(*) FROM customers WHERE name = 'Anna'";
    assert_eq!(left(sql, &[Some("3")]), []);
    assert_eq!(left(sql, &[Some("0")]), [Check::UnknownValue]);
    let sql = "SELECT max(customer_id) FROM customers WHERE name = 'Anna'";
    assert_eq!(left(sql, &[Some("3")]), []);
    assert_eq!(left(sql, &[None]), [Check::UnknownValue]);
}

#[test]
fn what_a_row_does_not_prove_is_asked() {
    for sql in [
        "SELECT name FROM customers WHERE name = 'Anna' OR customer_id = 3",
        "SELECT name FROM customers WHERE name IN ('Anna', 'Berta')",
        "SELECT name FROM customers WHERE name <> 'Anna'",
        "SELECT name FROM customers WHERE customer_id IN (SELECT customer_id FROM customers WHERE name = 'Anna')",
        "SELECT coalesce(max(name), 'x') FROM customers WHERE name = 'Anna'",
        "SELECT 'x' FROM customers WHERE name = 'Anna' HAVING true",
        "SELECT name FROM customers WHERE name = 'Anna' GROUP BY ROLLUP (name)",
        "SELECT name FROM customers WHERE name = 'Anna' UNION SELECT 'x'",
    ] {
        let found = left(sql, &[Some("x")]);
        assert!(found.contains(&Check::UnknownValue), "{sql}: {found:?}");
    }
}

#[test]
fn fewer_rows_than_the_limit_were_not_cut() {
    let sql = "SELECT name FROM customers ORDER BY name LIMIT 2";
    assert_eq!(left(sql, &[Some("Anna")]), []);
    assert_eq!(
        left(sql, &[Some("Anna"), Some("Anna")]),
        [Check::ArbitraryLimit]
    );
    let sql = "SELECT name FROM customers LIMIT 2 OFFSET 7";
    assert_eq!(left(sql, &[Some("Anna")]), [Check::ArbitraryLimit]);
}
