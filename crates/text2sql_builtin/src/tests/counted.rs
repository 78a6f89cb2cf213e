//! Superlatives over filtered rows, bare measures, and words with two links.

use expect_test::expect;

use super::{check, declines};

#[test]
fn rows_of_which_something_is_said_are_counted() {
    check(
        "Which store has the most cancelled orders?",
        expect![[r#"
            SELECT s.name AS store
            FROM orders AS o
            JOIN stores AS s ON s.store_id = o.store_id
            WHERE o.status = 'cancelled'
            GROUP BY s.store_id, s.name
            ORDER BY count(*) DESC, store
            LIMIT 1"#]],
    );
    check(
        "Which country has the most active customers?",
        expect![[r#"
            SELECT c2.name AS country
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            WHERE c.is_active
            GROUP BY c2.country_code, c2.name
            ORDER BY count(*) DESC, country
            LIMIT 1"#]],
    );
    // A country without any would be the first of them, and is in no group.
    declines("Which country has the fewest active customers?");
    // A column before a noun is no measure.
    declines("Which customer has the most ordered orders?");
    declines("Which store has the most opened stores?");
}

#[test]
fn a_bare_measure_is_asked_back() {
    check(
        "Salary",
        expect![[
            r#"Ambiguous { question: "is the sum of Salary meant, its average, or each different value?", readings: ["total Salary", "average Salary", "different Salary"] }"#
        ]],
    );
    for reading in ["total Salary", "average Salary", "different Salary"] {
        check(reading, expected(reading));
    }
    // In the plural a list is meant.
    check(
        "Salaries",
        expect![[r#"
            SELECT DISTINCT e.salary
            FROM employees AS e
            ORDER BY salary"#]],
    );
}

fn expected(reading: &str) -> expect_test::Expect {
    match reading {
        "total Salary" => expect![[r#"
            SELECT sum(e.salary) AS total_salary
            FROM employees AS e"#]],
        "average Salary" => expect![[r#"
            SELECT avg(e.salary) AS average_salary
            FROM employees AS e"#]],
        _ => expect![[r#"
            SELECT DISTINCT e.salary
            FROM employees AS e
            ORDER BY salary"#]],
    }
}

#[test]
fn different_values_are_not_ranked_by_what_is_not_shown() {
    declines("Which job title has the most salary?");
    declines("Which status has the latest order date?");
}

#[test]
fn so_many_days_end_today_and_are_not_one_more() {
    check(
        "How many orders in the last 7 days?",
        expect![[r#"
            SELECT count(*) AS orders
            FROM orders AS o
            WHERE o.ordered_on >= DATE '2026-01-09' AND o.ordered_on < DATE '2026-01-16'"#]],
    );
}

#[test]
fn a_verb_that_is_the_root_of_a_table_speaks_of_its_rows() {
    check(
        "How many customers ordered in 2025?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id AND o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01')"#]],
    );
    // Orders may have a store, and no store orders.
    declines("How many stores ordered in 2025?");
    declines("Show the names of customers ordered in 2025");
}

#[test]
fn a_date_of_creation_does_not_say_when_something_was_there() {
    declines("How many customers were there in 2024?");
    check(
        "How many customers were created in 2024?",
        expect![[r#"
            SELECT count(*) AS customers
            FROM customers AS c
            WHERE c.created_on >= DATE '2024-01-01' AND c.created_on < DATE '2025-01-01'"#]],
    );
}
