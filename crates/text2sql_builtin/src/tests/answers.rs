//! Questions that are answered.

use expect_test::expect;

use super::check;

#[test]
fn counts() {
    check(
        "How many customers are there?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c"#]],
    );
    check(
        "number of orders",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o"#]],
    );
    check(
        "How many orders were placed in March 2025?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE o.ordered_on >= DATE '2025-03-01' AND o.ordered_on < DATE '2025-04-01'"#]],
    );
    check(
        "How many customers do we have in Germany?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        JOIN countries AS c2 ON c2.country_code = c.country_code
        WHERE c2.name = 'Germany'"#]],
    );
    check(
        "How many orders did we have last year?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01'"#]],
    );
    check(
        "How many different cities are there?",
        expect![[r#"
        SELECT count(DISTINCT s.city) AS city
        FROM stores AS s"#]],
    );
    check(
        "Count the orders with status shipped",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE o.status = 'shipped'"#]],
    );
    check(
        "How many customers have no orders?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id)"#]],
    );
    check(
        "How many customers placed orders in 2024?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        WHERE EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id AND o.ordered_on >= DATE '2024-01-01' AND o.ordered_on < DATE '2025-01-01')"#]],
    );
    check(
        "How many stores were opened after 2020?",
        expect![[r#"
        SELECT count(*) AS stores
        FROM stores AS s
        WHERE s.opened_on >= DATE '2021-01-01'"#]],
    );
}

#[test]
fn aggregates() {
    check(
        "What is the average price of products?",
        expect![[r#"
        SELECT avg(p.unit_price) AS average_unit_price
        FROM products AS p"#]],
    );
    check(
        "What is the total quantity of order lines?",
        expect![[r#"
        SELECT sum(ol.quantity) AS total_quantity
        FROM order_lines AS ol"#]],
    );
    check(
        "What are the minimum and maximum salary of employees?",
        expect![[r#"
            SELECT min(e.salary) AS minimum_salary, max(e.salary) AS maximum_salary
            FROM employees AS e"#]],
    );
    check(
        "What is the average unit price of products per category?",
        expect![[r#"
            SELECT c.name AS category, avg(p.unit_price) AS average_unit_price
            FROM products AS p
            JOIN categories AS c ON c.category_id = p.category_id
            GROUP BY c.category_id, c.name
            ORDER BY category"#]],
    );
    check(
        "Show the total of orders by month in 2025",
        expect![[r#"
            SELECT date_trunc('month', o.ordered_on)::date AS month, sum(o.total) AS total_total
            FROM orders AS o
            WHERE o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01'
            GROUP BY date_trunc('month', o.ordered_on)::date
            ORDER BY month"#]],
    );
    check(
        "What is the average salary of employees for each store?",
        expect![[r#"
            SELECT s.name AS store, avg(e.salary) AS average_salary
            FROM employees AS e
            JOIN stores AS s ON s.store_id = e.store_id
            GROUP BY s.store_id, s.name
            ORDER BY store"#]],
    );
    check(
        "total quantity per category",
        expect![[r#"
        SELECT c.name AS category, sum(ol.quantity) AS total_quantity
        FROM order_lines AS ol
        JOIN products AS p ON p.product_id = ol.product_id
        JOIN categories AS c ON c.category_id = p.category_id
        GROUP BY c.category_id, c.name
        ORDER BY category"#]],
    );
    check(
        "What is the average discount of order lines in orders from 2024?",
        expect![[r#"
            SELECT avg(ol.discount) AS average_discount
            FROM order_lines AS ol
            JOIN orders AS o ON o.order_id = ol.order_id
            WHERE o.ordered_on >= DATE '2024-01-01' AND o.ordered_on < DATE '2025-01-01'"#]],
    );
}

#[test]
fn lists() {
    check(
        "List the stores in Germany",
        expect![[r#"
        SELECT s.name
        FROM stores AS s
        JOIN countries AS c ON c.country_code = s.country_code
        WHERE c.name = 'Germany'
        ORDER BY s.store_id"#]],
    );
    check(
        "Show the names and emails of customers in New Zealand",
        expect![[r#"
            SELECT c.name, c.email
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            WHERE c2.name = 'New Zealand'
            ORDER BY c.customer_id"#]],
    );
    check(
        "List all products",
        expect![[r#"
        SELECT p.name
        FROM products AS p
        ORDER BY p.product_id"#]],
    );
    check(
        "What are the names of products with a price over 100?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.unit_price > 100
            ORDER BY p.product_id"#]],
    );
    check(
        "List the names of customers without a credit limit",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE c.credit_limit IS NULL
            ORDER BY c.customer_id"#]],
    );
    check(
        "Which customers have no orders?",
        expect![[r#"
        SELECT c.name
        FROM customers AS c
        WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id)
        ORDER BY c.customer_id"#]],
    );
    check(
        "Show the names of stores in Berlin or Paris",
        expect![[r#"
        SELECT s.name
        FROM stores AS s
        WHERE s.city IN ('Berlin', 'Paris')
        ORDER BY s.store_id"#]],
    );
    check(
        "List the first name and salary of employees whose salary is between 2000 and 3000",
        expect![[r#"
            SELECT e.first_name, e.salary
            FROM employees AS e
            WHERE e.salary BETWEEN 2000 AND 3000
            ORDER BY e.employee_id"#]],
    );
    check(
        "Show the names of all customers in alphabetical order",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            ORDER BY name"#]],
    );
    check(
        "Give the name of each product and its category",
        expect![[r#"
            SELECT p.name, c.name AS name_2
            FROM products AS p
            JOIN categories AS c ON c.category_id = p.category_id
            ORDER BY p.product_id"#]],
    );
    check(
        "What are the distinct cities of stores?",
        expect![[r#"
        SELECT DISTINCT s.city
        FROM stores AS s
        ORDER BY city"#]],
    );
    check(
        "Show all the information about stores in Vienna",
        expect![[r#"
            SELECT s.store_id, s.name, s.city, s.country_code, s.opened_on, s.closed_on
            FROM stores AS s
            WHERE s.city = 'Vienna'
            ORDER BY store_id"#]],
    );
    check(
        "Which products have a price above the average?",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.unit_price > (SELECT avg(unit_price) FROM products)
            ORDER BY p.product_id"#]],
    );
    check(
        "List the customers with more than 3 orders",
        expect![[r#"
        SELECT c.name
        FROM customers AS c
        WHERE (SELECT count(*) FROM orders AS o WHERE c.customer_id = o.customer_id) > 3
        ORDER BY c.customer_id"#]],
    );
    check(
        "List employees named 'Huber'",
        expect![[r#"
            SELECT e.first_name, e.last_name
            FROM employees AS e
            WHERE (lower(e.first_name) = lower('Huber') OR lower(e.last_name) = lower('Huber'))
            ORDER BY e.employee_id"#]],
    );
    check(
        "Show the name of the customer with id 17",
        expect![[r#"
        SELECT c.name
        FROM customers AS c
        WHERE c.customer_id = 17
        ORDER BY c.customer_id"#]],
    );
    check(
        "Which stores were opened between 2019 and 2021?",
        expect![[r#"
            SELECT s.name
            FROM stores AS s
            WHERE s.opened_on >= DATE '2019-01-01' AND s.opened_on < DATE '2022-01-01'
            ORDER BY s.store_id"#]],
    );
    check(
        "What is the email of customer 12?",
        expect![[r#"
        SELECT c.email
        FROM customers AS c
        WHERE c.customer_id = 12
        ORDER BY c.customer_id"#]],
    );
    check(
        "List active customers",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE c.is_active
            ORDER BY c.customer_id"#]],
    );
    check(
        "Which customers bought products in the category Tents?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE EXISTS (SELECT 1 FROM orders AS o JOIN order_lines AS ol ON ol.order_id = o.order_id JOIN products AS p ON p.product_id = ol.product_id JOIN categories AS c2 ON c2.category_id = p.category_id WHERE c.customer_id = o.customer_id AND c2.name = 'Tents')
            ORDER BY c.customer_id"#]],
    );
    check(
        "names of customers whose email contains 'example'",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE c.email ILIKE '%example%'
            ORDER BY c.customer_id"#]],
    );
}

#[test]
fn rankings() {
    check(
        "Which five countries have the most customers?",
        expect![[r#"
            SELECT c2.name AS country, count(*) AS customers
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            GROUP BY c2.country_code, c2.name
            ORDER BY customers DESC, country
            LIMIT 5"#]],
    );
    check(
        "Top 10 products by quantity sold",
        expect![[r#"
        SELECT p.name AS product, sum(ol.quantity) AS total_quantity
        FROM order_lines AS ol
        JOIN products AS p ON p.product_id = ol.product_id
        GROUP BY p.product_id, p.name
        ORDER BY total_quantity DESC, product
        LIMIT 10"#]],
    );
    check(
        "What are the three most expensive products?",
        expect![[r#"
        SELECT p.name, p.unit_price
        FROM products AS p
        ORDER BY unit_price DESC, p.product_id
        LIMIT 3"#]],
    );
    check(
        "Which store has the most employees?",
        expect![[r#"
        SELECT s.name AS store
        FROM employees AS e
        JOIN stores AS s ON s.store_id = e.store_id
        GROUP BY s.store_id, s.name
        ORDER BY count(*) DESC, store
        LIMIT 1"#]],
    );
    check(
        "Which category has the highest average unit price?",
        expect![[r#"
            SELECT c.name AS category
            FROM products AS p
            JOIN categories AS c ON c.category_id = p.category_id
            GROUP BY c.category_id, c.name
            ORDER BY avg(p.unit_price) DESC, category
            LIMIT 1"#]],
    );
    check(
        "Top 3 customers by number of orders",
        expect![[r#"
        SELECT c.name AS customer, count(*) AS orders
        FROM orders AS o
        JOIN customers AS c ON c.customer_id = o.customer_id
        GROUP BY c.customer_id, c.name
        ORDER BY orders DESC, customer
        LIMIT 3"#]],
    );
    check(
        "Which product has the lowest price?",
        expect![[r#"
        SELECT p.name
        FROM products AS p
        ORDER BY p.unit_price, p.product_id
        LIMIT 1"#]],
    );
    check(
        "the customer with the most orders in 2025",
        expect![[r#"
        SELECT c.name AS customer
        FROM orders AS o
        JOIN customers AS c ON c.customer_id = o.customer_id
        WHERE o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01'
        GROUP BY c.customer_id, c.name
        ORDER BY count(*) DESC, customer
        LIMIT 1"#]],
    );
}

#[test]
fn odd_names() {
    check(
        "How many spare parts are there?",
        expect![[r#"
        SELECT count(*) AS spare_parts
        FROM "Work Shop"."Spare Parts" AS sp"#]],
    );
    check(
        "List the part no of spare parts with unit price over 5",
        expect![[r#"
            SELECT sp."Part No" AS part_no
            FROM "Work Shop"."Spare Parts" AS sp
            WHERE sp."unitPrice" > 5
            ORDER BY part_no"#]],
    );
    check(
        "How many spare parts were last checked in 2024?",
        expect![[r#"
            SELECT count(*) AS spare_parts
            FROM "Work Shop"."Spare Parts" AS sp
            WHERE sp."Last Checked" >= DATE '2024-01-01' AND sp."Last Checked" < DATE '2025-01-01'"#]],
    );
    check(
        "How many spare parts are stocked?",
        expect![[r#"
        SELECT count(*) AS spare_parts
        FROM "Work Shop"."Spare Parts" AS sp
        WHERE sp."Is Stocked""#]],
    );
}
