//! Fan-out, cartesian products, outer joins, DISTINCT.

use super::super::{Check, Severity, find};
use super::{found, has_finding, has_no_finding};

#[test]
fn a_sum_of_repeated_rows_is_found() {
    has_finding(
        Check::JoinFanOut,
        Severity::Warning,
        &[
            "SELECT sum(o.total) FROM orders o JOIN payments p ON p.order_id = o.order_id",
            "SELECT sum(o.total - p.amount) FROM orders o JOIN payments p ON p.order_id = o.order_id",
            "SELECT c.name, sum(c.credit_limit) FROM customers c JOIN orders o USING (customer_id) GROUP BY c.name",
            "SELECT avg(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id",
            "SELECT c.customer_id, sum(o.total), sum(p.amount) FROM customers c JOIN orders o ON o.customer_id = c.customer_id LEFT JOIN payments p ON p.order_id = o.order_id GROUP BY c.customer_id",
            "WITH x AS (SELECT o.order_id, sum(o.total) AS t FROM orders o, payments p WHERE p.order_id = o.order_id GROUP BY o.order_id) SELECT * FROM x",
            "SELECT string_agg(o.status, ',') FROM orders o JOIN order_lines l USING (order_id)",
            "SELECT count(*) FROM orders o JOIN order_lines l ON l.order_id = o.order_id JOIN payments p ON p.order_id = o.order_id",
            "SELECT n.name, sum(c.credit_limit) FROM countries n JOIN customers c USING (country_id) LEFT JOIN orders o ON o.customer_id = c.customer_id GROUP BY n.name",
            // Counts of two branches multiply each other.
            "SELECT o.order_id, count(l.line_no), count(p.payment_id) FROM orders o JOIN order_lines l ON l.order_id = o.order_id JOIN payments p ON p.order_id = o.order_id GROUP BY 1",
        ],
    );
}

#[test]
fn a_sum_at_the_end_of_the_chain_is_right() {
    has_no_finding(
        Check::JoinFanOut,
        Severity::Warning,
        &[
            "SELECT sum(p.amount) FROM orders o JOIN payments p ON p.order_id = o.order_id",
            "SELECT c.name, sum(o.total) FROM customers c JOIN orders o USING (customer_id) GROUP BY c.name",
            "SELECT n.name, count(*) FROM countries n JOIN customers c USING (country_id) JOIN orders o USING (customer_id) GROUP BY n.name",
            "SELECT max(o.total) FROM orders o JOIN payments p ON p.order_id = o.order_id",
            // Values of one kind may be compared pair by pair.
            "SELECT sum(a.quantity - b.quantity) FROM orders a JOIN orders b ON b.customer_id = a.customer_id",
            "SELECT sum(l.price_eur + l.price_usd) FROM orders o JOIN order_lines l ON l.order_id = o.order_id",
            "SELECT count(DISTINCT o.order_id) FROM orders o JOIN payments p ON p.order_id = o.order_id",
            "SELECT c.name, sum(o.total), sum(p.paid) FROM customers c JOIN orders o USING (customer_id) LEFT JOIN (SELECT order_id, sum(amount) AS paid FROM payments GROUP BY order_id) p ON p.order_id = o.order_id GROUP BY c.name",
            "SELECT sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id AND l.line_no = 1",
            "SELECT sum(o.total) FROM orders o WHERE EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.order_id)",
            "SELECT p.name, avg(l.pieces) FROM order_lines l JOIN products p USING (product_id) JOIN orders o USING (order_id) GROUP BY p.name",
            "SELECT l.line_no, sum(o.total) FROM orders o JOIN order_lines l ON l.order_id = o.order_id GROUP BY l.line_no",
        ],
    );
}

#[test]
fn tables_that_no_condition_connects_are_found() {
    has_finding(
        Check::CartesianProduct,
        Severity::Warning,
        &[
            "SELECT * FROM customers, orders",
            "SELECT count(*) FROM customers c, orders o, payments p WHERE o.customer_id = c.customer_id",
            "SELECT * FROM customers c, orders o WHERE c.name = 'x' AND o.total > 5",
            "SELECT * FROM customers c JOIN orders o ON o.customer_id = o.customer_id",
            "SELECT * FROM customers a, customers b WHERE a.name = 'x'",
            "SELECT * FROM customers c, (SELECT order_id FROM orders) x",
            "SELECT (SELECT count(*) FROM orders, payments) FROM customers",
        ],
    );
    has_finding(
        Check::CartesianProduct,
        Severity::Note,
        &[
            "SELECT * FROM customers CROSS JOIN products",
            "SELECT * FROM customers JOIN products ON true",
            "SELECT * FROM countries n CROSS JOIN products p WHERE n.name = 'x'",
            "SELECT count(*) FROM customers c CROSS JOIN countries",
            "SELECT * FROM orders CROSS JOIN (SELECT customer_id FROM customers) c",
        ],
    );
}

#[test]
fn connected_tables_are_no_product() {
    has_no_finding(
        Check::CartesianProduct,
        Severity::Note,
        &[
            "SELECT * FROM customers c, orders o WHERE o.customer_id = c.customer_id",
            "SELECT * FROM customers NATURAL JOIN orders",
            "SELECT * FROM customers c JOIN orders o ON o.total > c.credit_limit",
            "SELECT o.total / t.all_of_it FROM orders o, (SELECT sum(total) AS all_of_it FROM orders) t",
            "SELECT * FROM customers c CROSS JOIN LATERAL (SELECT * FROM orders o WHERE o.customer_id = c.customer_id LIMIT 1) x",
            "SELECT d FROM generate_series(1, 10) d, customers WHERE customer_id = 1",
            "SELECT * FROM orders o, unnest(ARRAY[1, 2]) u",
            "SELECT a.price - b.price FROM products a JOIN products b ON a.name = 'x' AND b.name = 'y'",
            "SELECT a.price - b.price FROM products a, products b WHERE a.name = 'x' AND b.name = 'y'",
            "SELECT * FROM customers c, orders o WHERE EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.order_id AND c.customer_id = o.customer_id)",
        ],
    );
}

#[test]
fn a_condition_that_undoes_an_outer_join_is_found() {
    has_finding(
        Check::UndoneOuterJoin,
        Severity::Warning,
        &[
            "SELECT c.name FROM customers c LEFT JOIN orders o USING (customer_id) WHERE o.status = 'paid'",
            "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id WHERE o.total > 5 AND c.name <> 'x'",
            "SELECT * FROM orders o RIGHT JOIN customers c ON o.customer_id = c.customer_id WHERE o.status IN ('paid')",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) JOIN payments p ON p.order_id = o.order_id",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) WHERE lower(o.status) LIKE 'p%'",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) WHERE o.total BETWEEN 1 AND 2",
        ],
    );
}

#[test]
fn a_condition_that_keeps_the_unmatched_rows_is_right() {
    has_no_finding(
        Check::UndoneOuterJoin,
        Severity::Warning,
        &[
            "SELECT c.name FROM customers c LEFT JOIN orders o USING (customer_id) WHERE o.order_id IS NULL",
            "SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id AND o.status = 'paid'",
            "SELECT c.name FROM customers c LEFT JOIN orders o USING (customer_id) WHERE c.name = 'x'",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) WHERE o.status = 'paid' OR o.status IS NULL",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) WHERE coalesce(o.status, 'none') = 'none'",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) WHERE o.order_id IS NOT NULL",
            "SELECT * FROM customers c LEFT JOIN orders o USING (customer_id) LEFT JOIN payments p ON p.order_id = o.order_id",
            "SELECT * FROM customers c FULL JOIN orders o USING (customer_id) WHERE o.total > 1",
        ],
    );
}

#[test]
fn distinct_over_a_join_that_filters_is_noted() {
    has_finding(
        Check::DistinctHidesFanOut,
        Severity::Note,
        &[
            "SELECT DISTINCT c.name FROM customers c JOIN orders o USING (customer_id)",
            "SELECT DISTINCT o.order_id, o.total FROM orders o JOIN payments p ON p.order_id = o.order_id",
            "SELECT DISTINCT n.name FROM countries n JOIN customers c USING (country_id) JOIN orders o USING (customer_id)",
            "SELECT sum(DISTINCT o.total) FROM orders o JOIN payments p USING (order_id)",
            "SELECT avg(DISTINCT o.total) FROM orders o JOIN order_lines l USING (order_id)",
            "SELECT DISTINCT p.name FROM products p, order_lines l WHERE l.product_id = p.product_id",
        ],
    );
    has_no_finding(
        Check::DistinctHidesFanOut,
        Severity::Note,
        &[
            "SELECT DISTINCT status FROM orders",
            "SELECT DISTINCT c.name, o.status FROM customers c JOIN orders o USING (customer_id)",
            "SELECT DISTINCT o.status FROM orders o JOIN customers c USING (customer_id)",
            "SELECT c.name FROM customers c JOIN orders o USING (customer_id)",
            "SELECT count(DISTINCT c.customer_id) FROM customers c JOIN orders o USING (customer_id)",
            "SELECT sum(DISTINCT p.amount) FROM orders o JOIN payments p USING (order_id)",
            "SELECT DISTINCT c.name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id)",
        ],
    );
}

#[test]
fn sentences_name_the_tables() {
    let findings = found(
        Check::JoinFanOut,
        "SELECT sum(o.total) FROM orders o JOIN payments p ON p.order_id = o.order_id",
    );
    assert_eq!(
        findings[0].evidence,
        "One row of orders can meet several rows of payments, so sum(o.total) takes it more than \
         once."
    );
    assert_eq!(
        findings[0].fix.as_deref(),
        Some(
            "aggregate orders before joining payments, or replace the join by EXISTS where \
             payments only filters"
        )
    );
}

#[test]
fn a_join_uses_the_columns_that_connect_its_tables() {
    use text2sql_domain::schema_fixture::Build;
    let tables = vec![
        Build::table(1, "choirs")
            .columns("id integer!, town text, leader_id integer")
            .key(&["id"])
            .done(),
        Build::table(2, "singers")
            .columns("id integer!, choir_id integer!, voice integer, town text")
            .key(&["id"])
            .refers("choir_id", 1, "choirs", "id")
            .done(),
        Build::table(3, "concerts")
            .columns("id integer!, choir_id integer, seats integer")
            .key(&["id"])
            .done(),
    ];
    for (condition, is_wrong) in [
        ("choirs c JOIN singers s ON s.choir_id = c.id", false),
        ("choirs c JOIN singers s ON s.town = c.town", false),
        ("choirs c JOIN singers s ON s.id = c.leader_id", false),
        ("choirs c JOIN singers s ON s.id = c.id", true),
        ("choirs c JOIN singers s ON s.voice = c.id", true),
        ("choirs c JOIN concerts o ON o.choir_id = c.id", false),
        ("choirs c JOIN concerts o ON o.seats = c.id", true),
        (
            "singers s JOIN concerts o ON o.choir_id = s.choir_id",
            false,
        ),
        ("singers s JOIN concerts o ON o.seats = s.voice", false),
    ] {
        let sql = format!("SELECT count(*) FROM {condition}");
        let findings = find(&sql, &tables).unwrap().expect("parsed");
        let is_found = findings
            .iter()
            .any(|finding| finding.check == Check::WrongKey && finding.is_certain());
        assert_eq!(is_found, is_wrong, "{sql}: {findings:#?}");
    }
}
