//! Differences in words and lines.

use super::{changes, line_difference};
use text2sql_domain::schema_fixture::shop;

fn sentences(before: &str, after: &str) -> Vec<String> {
    changes(before, after, &shop())
}

#[test]
fn equivalent_statements_have_no_changes() {
    for (before, after) in [
        (
            "SELECT name FROM customers",
            "select c.name\nfrom public.customers AS c",
        ),
        (
            "SELECT COUNT(*) AS n FROM customers WHERE customer_id > 3",
            "SELECT count(*) AS n FROM customers c WHERE c.customer_id > 3",
        ),
    ] {
        assert_eq!(sentences(before, after), Vec::<String>::new(), "{after}");
    }
}

#[test]
fn describes_columns_tables_filters_and_groups() {
    assert_eq!(
        sentences(
            "SELECT date_trunc('month', o.ordered_on) AS month, sum(o.total) AS revenue FROM orders o WHERE o.total > 0 GROUP BY 1 ORDER BY 1",
            "SELECT date_trunc('quarter', ordered_on) AS quarter, sum(total) AS revenue FROM orders WHERE total > 0 GROUP BY 1 ORDER BY 1",
        ),
        [
            "leaves out the column month",
            "adds the column quarter: date_trunc('quarter', ordered_on)",
            "groups by date_trunc('quarter', ordered_on) instead of date_trunc('month', o.ordered_on)",
            "sorts by date_trunc('quarter', ordered_on) instead of date_trunc('month', o.ordered_on)",
        ]
    );
    assert_eq!(
        sentences(
            "SELECT name FROM customers WHERE customer_id > 3 LIMIT 10",
            "SELECT c.name, count(o.order_id) AS orders FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id WHERE c.customer_id > 5 GROUP BY c.name",
        ),
        [
            "adds the column orders: count(o.order_id)",
            "reads orders",
            "the filter is c.customer_id > 5 instead of customer_id > 3",
            "groups by c.name",
            "no longer limits the number of rows",
        ]
    );
    assert_eq!(
        sentences(
            "SELECT sum(total) AS amount FROM orders",
            "SELECT avg(total) AS amount FROM orders WHERE total > 1 AND order_id < 7"
        ),
        [
            "the column amount is avg(total) instead of sum(total)",
            "adds the filter total > 1",
            "adds the filter order_id < 7",
        ]
    );
}

#[test]
fn describes_joins_limits_and_the_rest() {
    assert_eq!(
        sentences(
            "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.customer_id ORDER BY c.name LIMIT 5",
            "SELECT DISTINCT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id ORDER BY c.name DESC LIMIT 3",
        ),
        [
            "joins orders by LEFT JOIN instead of JOIN",
            "sorts by c.name DESC instead of c.name",
            "gives at most 3 rows instead of 5",
            "leaves out repeated rows",
        ]
    );
    assert_eq!(
        sentences("SELECT 1 AS a", "SELECT 1 AS a UNION ALL SELECT 2"),
        ["combines results by UNION ALL"]
    );
    assert_eq!(
        sentences("SELECT name FROM customers", "no SQL"),
        ["the query is changed in a way that has no words here"]
    );
}

#[test]
fn lines_show_what_goes_and_what_comes() {
    assert_eq!(
        line_difference(
            "SELECT name FROM customers WHERE customer_id > 3",
            "select name from customers where customer_id > 5 limit 2",
        ),
        "  SELECT\n    name\n  FROM\n    customers\n  WHERE\n-   customer_id > 3\n+   customer_id > 5 LIMIT 2"
    );
    assert_eq!(line_difference("a\nb\nc", "a\nc\nd"), "  a\n- b\n  c\n+ d");
}
