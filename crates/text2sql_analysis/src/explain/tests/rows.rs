//! Which rows: FROM, joins, WHERE, ORDER BY, LIMIT.

use expect_test::expect;

use super::check;

#[test]
fn counts_one_table() {
    check(
        "SELECT count(*) FROM customers",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            SELECT: Take all these rows together and show, as one row: the number of rows.
        "#]],
    );
}

#[test]
fn shows_columns_with_their_comments_once() {
    check(
        "SELECT name, country, country AS land FROM customers WHERE country = 'DE'",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where country (ISO code of the country) is 'DE'.
            SELECT: Show name, country, and country (as land).
        "#]],
    );
}

#[test]
fn names_the_key_between_two_tables() {
    check(
        "SELECT c.name, o.total FROM customers c JOIN orders o ON o.customer_id = c.id WHERE o.total > 100",
        expect![[r#"
            FROM: Start with customers (alias c; people and companies who bought at least once).
            JOIN: Add the matching rows of orders (alias o; purchases, one row each): those where orders.customer_id (who bought) equals customers.id. Each order belongs to one customer; a customer can have many orders. Rows without a match are left out.
            WHERE: Keep only the rows where orders.total (gross amount in euros) is greater than 100.
            SELECT: Show customers.name and orders.total.
        "#]],
    );
}

#[test]
fn an_optional_reference_says_at_most_one() {
    check(
        "SELECT o.id, e.name FROM orders o LEFT JOIN employees e ON e.id = o.employee_id",
        expect![[r#"
            FROM: Start with orders (alias o; purchases, one row each).
            LEFT JOIN: Add the matching rows of employees (alias e): those where employees.id equals orders.employee_id (who sold it). Each order belongs to at most one employee; an employee can have many orders. Rows without a match stay, with no values (NULL) in the columns of employees.
            SELECT: Show orders.id and employees.name.
        "#]],
    );
}

#[test]
fn calls_the_roles_of_a_self_join_by_their_aliases() {
    check(
        "SELECT e.name, b.name AS boss FROM employees e JOIN employees b ON b.id = e.boss_id",
        expect![[r#"
            FROM: Start with employees, called e here.
            JOIN: Add the matching rows of employees, called b here: those where b.id equals e.boss_id. Each row of e belongs to at most one row of b; a row of b can have many rows of e. Rows without a match are left out.
            SELECT: Show e.name and b.name (as boss).
        "#]],
    );
}

#[test]
fn reads_dates_as_dates() {
    check(
        "SELECT id FROM orders WHERE ordered_at >= '2024-01-01' AND ordered_at < '2025-01-01' AND shipped_on > DATE '2024-02-01'",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            WHERE: Keep only the rows where ordered_at is on or after 2024-01-01 but before 2025-01-01 and shipped_on is after 2024-02-01.
            SELECT: Show id.
        "#]],
    );
}

#[test]
fn warns_where_a_day_means_its_midnight() {
    check(
        "SELECT id FROM orders WHERE ordered_at BETWEEN '2024-01-01' AND '2024-01-31' OR ordered_at > '2024-12-31'",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            WHERE: Keep only the rows where either ordered_at is between 2024-01-01 and the start of 2024-01-31 (both included) or ordered_at is after the start of 2024-12-31.
            SELECT: Show id.
        "#]],
    );
}

#[test]
fn reads_relative_dates() {
    check(
        "SELECT id FROM orders WHERE ordered_at > now() - interval '30 days' AND shipped_on = current_date - 7",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            WHERE: Keep only the rows where ordered_at is after 30 days before now and shipped_on is 7 days before today.
            SELECT: Show id.
        "#]],
    );
}

#[test]
fn reads_patterns() {
    check(
        "SELECT name FROM customers WHERE name LIKE 'A%' AND email ILIKE '%@example.com' AND name NOT LIKE '%o''b%' AND name LIKE 'a_c'",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where name starts with 'A'; email ends with '@example.com', in upper or lower case; name does not contain "o'b"; and name matches the pattern 'a_c' (% stands for any text, _ for any one character).
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn reads_lists_and_missing_values() {
    check(
        "SELECT name FROM customers WHERE country IN ('DE', 'FR', 'AT') AND country NOT IN ('US', 'CA') AND email IS NULL AND NOT (name IS NULL)",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where country (ISO code of the country) is one of 'DE', 'FR', or 'AT'; country is neither 'US' nor 'CA'; email has no value (is NULL); and name has a value (is not NULL).
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn nests_and_or_not() {
    check(
        "SELECT name FROM customers WHERE (country = 'DE' OR country = 'FR') AND NOT is_active AND NOT (name = 'x' AND email = 'y')",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            WHERE: Keep only the rows where (either country (ISO code of the country) is 'DE' or country is 'FR'); is_active is false; and it is not the case that (name is 'x' and email is 'y').
            SELECT: Show name.
        "#]],
    );
}

#[test]
fn sorts_in_words_of_the_type() {
    check(
        "SELECT id, total FROM orders ORDER BY total DESC NULLS LAST, ordered_at, status LIMIT 10 OFFSET 20",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            SELECT: Show id and total (gross amount in euros).
            ORDER BY: Sort by total from highest to lowest (missing values last), then by ordered_at from earliest to latest, then by status in the order of its labels.
            OFFSET: Skip the first 20 rows.
            LIMIT: Show only the first 10 rows.
        "#]],
    );
}

#[test]
fn says_that_a_limit_without_order_is_arbitrary() {
    check(
        "SELECT name FROM customers LIMIT 5",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            SELECT: Show name.
            LIMIT: Show at most 5 rows; which ones is left to the database, for there is no ORDER BY.
        "#]],
    );
}

#[test]
fn keeps_quoted_names() {
    check(
        r#"SELECT s."ProductID", p.title FROM "Legacy Stock" AS s, products p WHERE s."ProductID" = p.id AND s."Qty" < 5"#,
        expect![[r#"
            FROM: Start with "Legacy Stock" (alias s; count of the old system).
            FROM: Add the rows of products (alias p; what the shop sells) that match by the conditions of WHERE.
            WHERE: Keep only the rows where "Legacy Stock"."ProductID" equals products.id and "Legacy Stock"."Qty" (pieces in the cellar) is less than 5.
            SELECT: Show "Legacy Stock"."ProductID" and products.title.
        "#]],
    );
}

#[test]
fn counts_how_rows_meet_without_a_foreign_key() {
    check(
        "SELECT * FROM customers c JOIN employees e ON e.name = c.name JOIN products p ON p.id = c.id",
        expect![[r#"
            FROM: Start with customers (alias c; people and companies who bought at least once).
            JOIN: Add the matching rows of employees (alias e): those where employees.name equals customers.name. No key limits this: a customer can match several employees, and an employee several customers. Rows without a match are left out.
            JOIN: Add the matching rows of products (alias p; what the shop sells): those where products.id equals customers.id. Each customer matches at most one product, and the other way round. Rows without a match are left out.
            SELECT: Show all columns.
        "#]],
    );
}

#[test]
fn joins_by_shared_names() {
    check(
        "SELECT quantity FROM order_items JOIN orders USING (id) FULL JOIN active_customers a USING (id) CROSS JOIN products",
        expect![[r#"
            FROM: Start with order_items.
            JOIN: Add the matching rows of orders (purchases, one row each): those with the same id. Rows without a match are left out.
            FULL JOIN: Add the matching rows of the view active_customers (alias a): those with the same id. Rows of both sides without a match stay, with no values (NULL) for the other side.
            CROSS JOIN: Combine each row so far with each row of products (what the shop sells).
            SELECT: Show order_items.quantity.
        "#]],
    );
}

#[test]
fn reads_values_of_json_and_arrays() {
    check(
        "SELECT details->>'note', tags[1] FROM orders, products WHERE details ? 'gift' AND 'new' = ANY (tags) AND tags @> ARRAY['x']",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            FROM: Combine each row so far with each row of products (what the shop sells).
            WHERE: Keep only the rows where orders.details has the key 'gift'; 'new' is one of the elements of products.tags; and products.tags contains the list ('x').
            SELECT: Show field 'note' of orders.details and element 1 of products.tags.
        "#]],
    );
}

#[test]
fn keeps_rows_that_tie() {
    check(
        "SELECT name FROM employees ORDER BY salary DESC FETCH FIRST 3 ROWS WITH TIES",
        expect![[r#"
            FROM: Start with employees.
            SELECT: Show name.
            ORDER BY: Sort by salary from highest to lowest.
            FETCH: Show the first 3 rows, and all further rows that sort equal to the last.
        "#]],
    );
}

#[test]
fn works_without_a_table() {
    check(
        "SELECT 1 + 2 * 3, 'it''s', NULL, true, (4 - 1) * 2 - (3 - 1)",
        expect![[r#"
            SELECT: Show 1 plus 2 times 3, "it's", no value (NULL), true, and (4 minus 1) times 2 minus (3 minus 1).
        "#]],
    );
}

#[test]
fn names_an_unknown_table_as_it_is_written() {
    check(
        "SELECT x.a, b FROM other.thing x WHERE f(a, 2) AND x.c IS DISTINCT FROM 3",
        expect![[r#"
            FROM: Start with other.thing (alias x).
            WHERE: Keep only the rows where f(a; 2) is true and c differs from 3 (a missing value counts as different).
            SELECT: Show a and b.
        "#]],
    );
}
