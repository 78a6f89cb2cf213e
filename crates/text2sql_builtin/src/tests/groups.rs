//! Questions that are answered group by group.

use expect_test::expect;

use super::{TODAY, check, company, propose};
use text2sql_domain::proposal::Proposal;

#[test]
fn groups() {
    check(
        "How many customers are there in each country?",
        expect![[r#"
            SELECT c2.name AS country, count(*) AS customers
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            GROUP BY c2.country_code, c2.name
            ORDER BY country"#]],
    );
    check(
        "Number of orders by status",
        expect![[r#"
        SELECT o.status, count(*) AS orders
        FROM orders AS o
        GROUP BY o.status
        ORDER BY status"#]],
    );
    check(
        "Number of orders per year",
        expect![[r#"
        SELECT extract(year FROM o.ordered_on)::int AS year, count(*) AS orders
        FROM orders AS o
        GROUP BY extract(year FROM o.ordered_on)::int
        ORDER BY year"#]],
    );
    check(
        "How many orders does each customer have?",
        expect![[r#"
        SELECT c.name AS customer, count(*) AS orders
        FROM orders AS o
        JOIN customers AS c ON c.customer_id = o.customer_id
        GROUP BY c.customer_id, c.name
        ORDER BY customer"#]],
    );
    check(
        "For each store, how many employees are there?",
        expect![[r#"
            SELECT s.name AS store, count(*) AS employees
            FROM employees AS e
            JOIN stores AS s ON s.store_id = e.store_id
            GROUP BY s.store_id, s.name
            ORDER BY store"#]],
    );
    check(
        "Show the name of each category and the number of products",
        expect![[r#"
            SELECT c.name, count(*) AS products
            FROM products AS p
            JOIN categories AS c ON c.category_id = p.category_id
            GROUP BY c.name
            ORDER BY name"#]],
    );
    check(
        "Number of orders per store in 2025",
        expect![[r#"
        SELECT s.name AS store, count(*) AS orders
        FROM orders AS o
        JOIN stores AS s ON s.store_id = o.store_id
        WHERE o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01'
        GROUP BY s.store_id, s.name
        ORDER BY store"#]],
    );
    check(
        "How many products per category with a price over 50?",
        expect![[r#"
            SELECT c.name AS category, count(*) AS products
            FROM products AS p
            JOIN categories AS c ON c.category_id = p.category_id
            WHERE p.unit_price > 50
            GROUP BY c.category_id, c.name
            ORDER BY category"#]],
    );
    check(
        "What is the average quantity of order lines for each status?",
        expect![[r#"
            SELECT o.status, avg(ol.quantity) AS average_quantity
            FROM order_lines AS ol
            JOIN orders AS o ON o.order_id = ol.order_id
            GROUP BY o.status
            ORDER BY status"#]],
    );
    check(
        "Which two cities have the most employees?",
        expect![[
            r#"Unanswerable { reason: "there is no column such as city in employees", missing: [], nearest: [] }"#
        ]],
    );
    check(
        "What is the average total of stores?",
        expect![[r#"
        SELECT avg(o.total) AS average_total
        FROM orders AS o
        JOIN stores AS s ON s.store_id = o.store_id"#]],
    );
    check(
        "What is the average total of customers?",
        expect![[r#"
        SELECT avg(o.total) AS average_total
        FROM orders AS o"#]],
    );
    check(
        "What is the average unit price of customers?",
        expect![[
            r#"Unanswerable { reason: "the rows would be counted more than once", missing: [], nearest: [] }"#
        ]],
    );
    check(
        "How many orders were placed in the second quarter of 2025?",
        expect![[r#"
            SELECT count(*) AS orders
            FROM orders AS o
            WHERE o.ordered_on >= DATE '2025-04-01' AND o.ordered_on < DATE '2025-07-01'"#]],
    );
}

#[test]
fn groups_without_a_value_do_not_lead() {
    check(
        "Which country has the highest total credit limit?",
        expect![[r#"
            SELECT c2.name AS country
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            GROUP BY c2.country_code, c2.name
            ORDER BY sum(c.credit_limit) DESC NULLS LAST, country
            LIMIT 1"#]],
    );
    check(
        "Which country has the lowest average credit limit?",
        expect![[r#"
            SELECT c2.name AS country
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            GROUP BY c2.country_code, c2.name
            ORDER BY avg(c.credit_limit), country
            LIMIT 1"#]],
    );
    // A column that is never NULL needs no care.
    check(
        "Which store has the highest total salary?",
        expect![[r#"
        SELECT s.name AS store
        FROM employees AS e
        JOIN stores AS s ON s.store_id = e.store_id
        GROUP BY s.store_id, s.name
        ORDER BY sum(e.salary) DESC, store
        LIMIT 1"#]],
    );
    let answer = propose(
        "Which country has the highest average credit limit?",
        &company(),
        &[],
        TODAY,
    );
    let Proposal::Sql(answer) = answer else {
        panic!("no answer");
    };
    let lookup = answer.ranking.unwrap().sql;
    assert_eq!(
        lookup.matches("ranked_by DESC NULLS LAST").count(),
        2,
        "{lookup}"
    );
}
