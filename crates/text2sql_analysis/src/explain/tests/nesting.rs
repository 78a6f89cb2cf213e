//! Queries within queries: helper results, sub-queries, set operations, recursion.

use expect_test::expect;

use super::check;

#[test]
fn prepares_helper_results() {
    check(
        "WITH monthly AS (SELECT date_trunc('month', ordered_at) AS month, sum(total) AS revenue FROM orders GROUP BY 1), best AS (SELECT max(revenue) AS top FROM monthly) SELECT m.month, m.revenue FROM monthly m JOIN best b ON b.top = m.revenue ORDER BY m.month",
        expect![[r#"
            WITH monthly: Prepare a helper result called monthly, in the next 3 steps.
            monthly: FROM: Start with orders (purchases, one row each).
            monthly: GROUP BY: Make one group for each different value of the start of the month of ordered_at (as month).
            monthly: SELECT: For each group, show the start of the month of ordered_at (as month) and the sum of total (gross amount in euros) (as revenue).
            WITH best: Prepare a helper result called best, in the next 2 steps.
            best: FROM: Start with monthly.
            best: SELECT: Take all these rows together and show, as one row: the highest revenue (as top).
            FROM: Start with monthly (alias m).
            JOIN: Add the matching rows of best (alias b): those where best.top equals monthly.revenue. Rows without a match are left out.
            SELECT: Show monthly.month and monthly.revenue.
            ORDER BY: Sort by monthly.month from earliest to latest.
        "#]],
    );
}

#[test]
fn climbs_a_tree() {
    check(
        "WITH RECURSIVE chain AS (SELECT id, name, 1 AS level FROM employees WHERE boss_id IS NULL UNION ALL SELECT e.id, e.name, c.level + 1 FROM employees e JOIN chain c ON c.id = e.boss_id) SELECT level, count(*) FROM chain GROUP BY level",
        expect![[r#"
            WITH RECURSIVE chain: Build a helper result called chain, round by round, in the next 7 steps.
            chain: FROM: Start with employees.
            chain: WHERE: Keep only the rows where boss_id has no value (is NULL).
            chain: SELECT: Show id, name, and 1 (as level).
            chain: UNION ALL: Then run the following query again and again, each time on the rows found last, and add what it finds, until it finds no more.
            chain: FROM: Start with employees (alias e).
            chain: JOIN: Add the matching rows of chain (alias c): those where chain.id equals employees.boss_id. Rows without a match are left out.
            chain: SELECT: Show employees.id, employees.name, and chain.level plus 1.
            FROM: Start with chain.
            GROUP BY: Make one group for each different value of level.
            SELECT: For each group, show level and the number of rows.
        "#]],
    );
}

#[test]
fn compares_with_an_average() {
    check(
        "SELECT name FROM employees WHERE salary > (SELECT avg(salary) FROM employees)",
        expect![[r#"
            FROM: Start with employees.
            WHERE: Keep only the rows where salary is greater than the average of salary in employees.
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn compares_with_the_average_of_the_own_group() {
    check(
        "SELECT e.name FROM employees e WHERE e.salary > (SELECT avg(salary) FROM employees WHERE department = e.department)",
        expect![[r#"
            FROM: Start with employees (alias e).
            WHERE: Keep only the rows where salary is greater than the average of salary in (employees where department equals e.department of the outer query).
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn looks_for_related_rows() {
    check(
        "SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.total > 500) AND NOT EXISTS (SELECT * FROM orders WHERE customer_id = c.id AND status = 'returned')",
        expect![[r#"
            FROM: Start with customers (alias c; people and companies who bought at least once).
            WHERE: Keep only the rows where there is at least one row in (orders (purchases, one row each) where customer_id (who bought) equals customers.id and total (gross amount in euros) is greater than 500) and there is no row in (orders where customer_id equals customers.id and status is 'returned').
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn looks_in_the_values_of_another_query() {
    check(
        r#"SELECT title FROM products WHERE id IN (SELECT product_id FROM order_items WHERE quantity > 10) AND id NOT IN (SELECT "ProductID" FROM "Legacy Stock")"#,
        expect![[r#"
            FROM: Start with products (what the shop sells).
            WHERE: Keep only the rows where id is one of the values of product_id in (order_items where quantity is greater than 10) and id is none of the values of "ProductID" in "Legacy Stock" (count of the old system) (if one of those is NULL, no row qualifies).
            SELECT: Show title.
        "#]],
    );
}

#[test]
fn takes_the_best_by_a_sub_query() {
    check(
        "SELECT name FROM customers WHERE id = (SELECT customer_id FROM orders GROUP BY customer_id ORDER BY sum(total) DESC LIMIT 1)",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where id equals the value of customer_id (who bought) in (orders (purchases, one row each), grouped by customer_id, sorted by the sum of total (gross amount in euros) from highest to lowest, only the first row).
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn shows_a_sub_query_as_a_column() {
    check(
        "SELECT c.name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS orders FROM customers c",
        expect![[r#"
            FROM: Start with customers (alias c; people and companies who bought at least once).
            SELECT: Show name and the number of rows in (orders (purchases, one row each) where customer_id (who bought) equals customers.id) (as orders).
        "#]],
    );
}

#[test]
fn works_out_a_sub_query_in_from() {
    check(
        "SELECT t.country, avg(t.n) FROM (SELECT c.country, c.id, count(o.id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.country, c.id) t GROUP BY t.country",
        expect![[r#"
            sub-query t: First work out t, in the next 4 steps.
            t: FROM: Start with customers (alias c; people and companies who bought at least once).
            t: LEFT JOIN: Add the matching rows of orders (alias o; purchases, one row each): those where orders.customer_id (who bought) equals customers.id. Each order belongs to one customer; a customer can have many orders. Rows without a match stay, with no values (NULL) in the columns of orders.
            t: GROUP BY: Make one group for each combination of customers.country (ISO code of the country) and customers.id.
            t: SELECT: For each group, show customers.country, customers.id, and the number of rows with a value in orders.id (as n).
            FROM: Start with t, as worked out above.
            GROUP BY: Make one group for each different value of country.
            SELECT: For each group, show country and the average of n.
        "#]],
    );
}

#[test]
fn works_out_a_sub_query_for_each_row() {
    check(
        "SELECT c.name, last.total FROM customers c CROSS JOIN LATERAL (SELECT o.total FROM orders o WHERE o.customer_id = c.id ORDER BY o.ordered_at DESC LIMIT 1) AS last",
        expect![[r#"
            FROM: Start with customers (alias c; people and companies who bought at least once).
            sub-query last: For each row so far, work out last, in the next 5 steps.
            last: FROM: Start with orders (alias o; purchases, one row each).
            last: WHERE: Keep only the rows where customer_id (who bought) equals customers.id.
            last: SELECT: Show total (gross amount in euros).
            last: ORDER BY: Sort by ordered_at from latest to earliest.
            last: LIMIT: Show only the first row.
            CROSS JOIN: Combine each row so far with each row of last, as worked out above.
            SELECT: Show customers.name and last.total.
        "#]],
    );
}

#[test]
fn combines_queries() {
    check(
        "SELECT name FROM customers WHERE country = 'DE' UNION SELECT name FROM employees EXCEPT SELECT title FROM products ORDER BY name LIMIT 3",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where country (ISO code of the country) is 'DE'.
            SELECT: Show name.
            UNION: Add the rows that the following query gives, and remove duplicates.
            FROM: Start with employees.
            SELECT: Show name.
            EXCEPT: Take away the rows that the following query gives.
            FROM: Start with products (what the shop sells).
            SELECT: Show title.
            ORDER BY: Sort by name from A to Z.
            LIMIT: Show only the first 3 rows.
        "#]],
    );
}

#[test]
fn combines_in_groups() {
    check(
        "SELECT id FROM customers UNION ALL (SELECT id FROM employees INTERSECT SELECT id FROM products)",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            SELECT: Show id.
            UNION ALL: Add the rows that the following 2 queries, combined first, give, duplicates included.
            FROM: Start with employees.
            SELECT: Show id.
            INTERSECT: Keep only the rows that the following query gives as well.
            FROM: Start with products (what the shop sells).
            SELECT: Show id.
        "#]],
    );
}

#[test]
fn combines_inside_a_condition() {
    check(
        "SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE status = 'paid' INTERSECT SELECT customer_id FROM orders WHERE status = 'open')",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where id is one of the values of customer_id (who bought) in (orders (purchases, one row each) where status is 'paid') that are also among customer_id in (orders where status is 'open').
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn lists_numbers_and_constants() {
    check(
        "SELECT d::date, v.n FROM generate_series('2024-01-01'::date, '2024-12-01', interval '1 month') AS d CROSS JOIN (VALUES (1, 'a'), (2, 'b')) AS v(n, label)",
        expect![[r#"
            FROM: Start with one row for each value from 2024-01-01 to 2024-12-01 in steps of 1 month, called d.
            sub-query v: First work out v, in the next step.
            v: VALUES: A fixed list of 2 rows: (1, 'a'), (2, 'b').
            CROSS JOIN: Combine each row so far with each row of v, as worked out above.
            SELECT: Show the date of d and v.n.
        "#]],
    );
}

#[test]
fn needs_all_of_them() {
    check(
        "SELECT name FROM employees WHERE salary >= ALL (SELECT salary FROM employees WHERE department = 'IT') AND department <> ANY (ARRAY['HR', 'PR'])",
        expect![[r#"
            FROM: Start with employees.
            WHERE: Keep only the rows where salary is at least each of the values of salary in (employees where department is 'IT') and department differs from at least one of 'HR' and 'PR'.
            SELECT: Show name.
        "#]],
    );
}
