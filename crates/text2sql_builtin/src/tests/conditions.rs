//! Conditions that are more than one comparison.

use expect_test::expect;

use super::{check, declines};

#[test]
fn alternatives() {
    check(
        "Which products have a unit price lower than 5 or higher than 900?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE (p.unit_price < 5 OR p.unit_price > 900)
            ORDER BY p.product_id"#]],
    );
    check(
        "How many stores are in Berlin or Paris?",
        expect![[r#"
        SELECT count(*) AS stores
        FROM stores AS s
        WHERE s.city IN ('Berlin', 'Paris')"#]],
    );
    declines("Which customers are in Germany and have a credit limit over 100 or under 50?");
}

#[test]
fn both_and_but_not() {
    check(
        "Which customers have both open and shipped orders?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id AND o.status = 'open') AND EXISTS (SELECT 1 FROM orders AS o2 WHERE c.customer_id = o2.customer_id AND o2.status = 'shipped')
            ORDER BY c.customer_id"#]],
    );
    check(
        "Which customers have open orders but not cancelled orders?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id AND o.status = 'cancelled') AND EXISTS (SELECT 1 FROM orders AS o2 WHERE c.customer_id = o2.customer_id AND o2.status = 'open')
            ORDER BY c.customer_id"#]],
    );
    declines("Which orders are both open and shipped?");
}

#[test]
fn aggregates_of_all_rows_and_of_related_rows() {
    check(
        "Which products have a unit price above the average?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.unit_price > (SELECT avg(unit_price) FROM products)
            ORDER BY p.product_id"#]],
    );
    check(
        "Which products are more expensive than the average?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.unit_price > (SELECT avg(unit_price) FROM products)
            ORDER BY p.product_id"#]],
    );
    check(
        "Which stores have an average salary above 3000?",
        expect![[r#"
            SELECT s.name
            FROM stores AS s
            WHERE (SELECT avg(e.salary) FROM employees AS e WHERE s.store_id = e.store_id) > 3000
            ORDER BY s.store_id"#]],
    );
    check(
        "Which employees have a salary less than the maximum salary?",
        expect![[r#"
            SELECT e.first_name, e.last_name
            FROM employees AS e
            WHERE e.salary < (SELECT max(salary) FROM employees)
            ORDER BY e.employee_id"#]],
    );
    declines("Which employees have a salary above the average salary of the employees in Berlin?");
}

#[test]
fn superlatives() {
    check(
        "What is the most common job title?",
        expect![[r#"
        SELECT e.job_title
        FROM employees AS e
        GROUP BY e.job_title
        ORDER BY count(*) DESC, job_title
        LIMIT 1"#]],
    );
    check(
        "Which city is the most common?",
        expect![[r#"
        SELECT s.city
        FROM stores AS s
        GROUP BY s.city
        ORDER BY count(*) DESC, city
        LIMIT 1"#]],
    );
    check(
        "the latest order",
        expect![[r#"
        SELECT o.order_id
        FROM orders AS o
        ORDER BY o.ordered_on DESC, order_id
        LIMIT 1"#]],
    );
    check(
        "the three most recent orders",
        expect![[r#"
        SELECT o.order_id, o.ordered_on
        FROM orders AS o
        ORDER BY ordered_on DESC, order_id
        LIMIT 3"#]],
    );
    check(
        "Which employees work in the store with the most orders?",
        expect![[r#"
            SELECT e.first_name, e.last_name
            FROM employees AS e
            JOIN stores AS s ON s.store_id = e.store_id
            WHERE s.store_id = (SELECT store_id FROM orders WHERE store_id IS NOT NULL GROUP BY store_id ORDER BY count(*) DESC, store_id LIMIT 1)
            ORDER BY e.employee_id"#]],
    );
    declines("the most recent transfers");
}

#[test]
fn parts_of_texts() {
    check(
        "Which customers have 'gmail' in their email?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE c.email ILIKE '%gmail%'
            ORDER BY c.customer_id"#]],
    );
    check(
        "What are the names of products that contain the word tent?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.name ILIKE '%tent%'
            ORDER BY p.product_id"#]],
    );
    check(
        "Which products have a name that starts with A?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.name ILIKE 'A%'
            ORDER BY p.product_id"#]],
    );
    check(
        "customers whose email ends with '.de'",
        expect![[r#"
        SELECT c.name
        FROM customers AS c
        WHERE c.email ILIKE '%.de'
        ORDER BY c.customer_id"#]],
    );
}

#[test]
fn two_sentences() {
    check(
        "Which products have a unit price over 100? Give me their names and weights.",
        expect![[r#"
            SELECT p.name, p.weight
            FROM products AS p
            WHERE p.unit_price > 100
            ORDER BY p.product_id"#]],
    );
    check(
        "Which stores are in Berlin? Sort them by city.",
        expect![[r#"
            SELECT s.name
            FROM stores AS s
            WHERE s.city = 'Berlin'
            ORDER BY s.city"#]],
    );
}

#[test]
fn order_from_one_end_to_the_other() {
    check(
        "List the names and unit prices of products from the highest to the lowest unit price",
        expect![[r#"
            SELECT p.name, p.unit_price
            FROM products AS p
            ORDER BY unit_price DESC"#]],
    );
    check(
        "List the products sorted by unit price from low to high",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            ORDER BY p.unit_price"#]],
    );
}

#[test]
fn median_and_repeats() {
    check(
        "What is the median salary of employees?",
        expect![[r#"
        SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY e.salary) AS median_salary
        FROM employees AS e"#]],
    );
    check(
        "What are the names of customers who placed orders?",
        expect![[
            r#"Ambiguous { question: "is each customer listed once, or once for each order?", readings: ["What are the names of customers who placed orders (each once)", "What are the names of customers who placed orders (once for each order)"] }"#
        ]],
    );
    check(
        "What are the names of customers who placed orders (each once)?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id)
            ORDER BY c.customer_id"#]],
    );
    check(
        "What are the names of customers who placed orders (once for each order)?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            JOIN orders AS o ON o.customer_id = c.customer_id
            ORDER BY c.customer_id"#]],
    );
}

#[test]
fn shares_columns_and_arithmetic() {
    check(
        "What percentage of orders is cancelled?",
        expect![[r#"
        SELECT 100.0 * count(*) FILTER (WHERE o.status = 'cancelled') / nullif(count(*), 0) AS percentage_of_orders
        FROM orders AS o"#]],
    );
    check(
        "What share of the stores are in Berlin?",
        expect![[r#"
        SELECT 1.0 * count(*) FILTER (WHERE s.city = 'Berlin') / nullif(count(*), 0) AS share_of_stores
        FROM stores AS s"#]],
    );
    check(
        "What is the total of quantity times discount of order lines?",
        expect![[r#"
            SELECT sum(ol.quantity * ol.discount) AS total_quantity_times_discount
            FROM order_lines AS ol"#]],
    );
    check(
        "Which order lines have a quantity greater than the discount?",
        expect![[r#"
        SELECT ol.order_id, ol.product_id
        FROM order_lines AS ol
        WHERE ol.quantity > ol.discount
        ORDER BY order_id, product_id"#]],
    );
    declines("What percentage of active customers are in Germany and have orders?");
}
