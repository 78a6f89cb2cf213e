//! What becomes of the rows: groups, aggregates, expressions, window functions.

use expect_test::expect;

use super::check;

#[test]
fn sums_by_group() {
    check(
        "SELECT c.country, count(*) AS orders, sum(o.total) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.country HAVING sum(o.total) > 1000 ORDER BY revenue DESC LIMIT 5",
        expect![[r#"
            FROM: Start with orders (alias o; purchases, one row each).
            JOIN: Add the matching rows of customers (alias c; people and companies who bought at least once): those where customers.id equals orders.customer_id (who bought). Each order belongs to one customer; a customer can have many orders. Rows without a match are left out.
            GROUP BY: Make one group for each different value of customers.country (ISO code of the country).
            HAVING: Keep only the groups where the sum of orders.total (gross amount in euros) is greater than 1000.
            SELECT: For each group, show customers.country, the number of rows (as orders), and the sum of orders.total (as revenue).
            ORDER BY: Sort by revenue from highest to lowest.
            LIMIT: Show only the first 5 rows.
        "#]],
    );
}

#[test]
fn groups_by_an_output() {
    check(
        "SELECT date_trunc('month', ordered_at) AS month, avg(total) FROM orders GROUP BY month ORDER BY 1",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            GROUP BY: Make one group for each different value of the start of the month of ordered_at (as month).
            SELECT: For each group, show the start of the month of ordered_at (as month) and the average of total (gross amount in euros).
            ORDER BY: Sort by month from earliest to latest.
        "#]],
    );
}

#[test]
fn counts_where_something_holds() {
    check(
        "SELECT count(*) FILTER (WHERE status = 'paid') AS paid, sum(CASE WHEN status = 'open' THEN 1 ELSE 0 END) AS open, sum(CASE WHEN status = 'open' THEN total ELSE 0 END), count(DISTINCT customer_id), count(shipped_on), max(ordered_at), min(total) FROM orders",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            SELECT: Take all these rows together and show, as one row: the number of rows where status is 'paid' (as paid), the number of rows where status is 'open' (as open), the sum of total (gross amount in euros) over the rows where status is 'open', the number of different values of customer_id (who bought), the number of rows with a value in shipped_on, the latest ordered_at, and the lowest total.
        "#]],
    );
}

#[test]
fn computes_with_columns() {
    check(
        "SELECT sum(i.quantity * i.unit_price * (1 - coalesce(i.discount, 0))) AS net, round(avg(i.unit_price), 2), 100.0 * count(*) / nullif(sum(i.quantity), 0) FROM order_items i",
        expect![[r#"
            FROM: Start with order_items (alias i).
            SELECT: Take all these rows together and show, as one row: the sum of (quantity times unit_price (net price when sold) times (1 minus discount (or 0 where it has no value))) (as net), the average of unit_price rounded to 2 decimal places, and 100.0 times the number of rows divided by the sum of quantity (no value where it is 0).
        "#]],
    );
}

#[test]
fn reads_case() {
    check(
        "SELECT name, CASE WHEN salary >= 5000 THEN 'high' WHEN salary >= 3000 THEN 'middle' ELSE 'low' END AS band, CASE department WHEN 'IT' THEN 1 END FROM employees",
        expect![[r#"
            FROM: Start with employees.
            SELECT: Show name, ('high' if salary is at least 5000, 'middle' if salary is at least 3000, otherwise 'low') (as band), and (1 if department is 'IT', otherwise no value (NULL)).
        "#]],
    );
}

#[test]
fn reads_texts_and_dates() {
    check(
        "SELECT upper(name), name || ' (' || country || ')', extract(year FROM o.ordered_at), o.ordered_at::date, to_char(o.ordered_at, 'YYYY-MM'), length(name), left(name, 3), substring(name from 2 for 1), trim(name), o.total::int FROM customers JOIN orders o ON customer_id = customers.id",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            JOIN: Add the matching rows of orders (alias o; purchases, one row each): those where orders.customer_id (who bought) equals customers.id. Each order belongs to one customer; a customer can have many orders. Rows without a match are left out.
            SELECT: Show customers.name in upper case, customers.name followed by ' (' followed by customers.country (ISO code of the country) followed by ')', the year of orders.ordered_at, the date of orders.ordered_at, orders.ordered_at written in the form 'YYYY-MM', the length of customers.name, the first 3 characters of customers.name, 1 character of customers.name from position 2 on, customers.name without surrounding spaces, and orders.total (gross amount in euros) (as int).
        "#]],
    );
}

#[test]
fn joins_texts() {
    check(
        "SELECT department, string_agg(name, ', ' ORDER BY salary DESC), array_agg(DISTINCT boss_id), percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM employees GROUP BY department",
        expect![[r#"
            FROM: Start with employees.
            GROUP BY: Make one group for each different value of department.
            SELECT: For each group, show department; all values of name in one text, with commas, sorted by salary from highest to lowest; the different values of boss_id as a list; and the median of salary.
        "#]],
    );
}

#[test]
fn adds_subtotals() {
    check(
        "SELECT country, is_active, count(*) FROM customers GROUP BY ROLLUP (country, is_active)",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            GROUP BY: Group by (country (ISO code of the country), is_active), with a subtotal row each time the last of these is left out, down to one grand total.
            SELECT: For each group, show country, is_active, and the number of rows.
        "#]],
    );
}

#[test]
fn groups_several_times() {
    check(
        "SELECT country, is_active, count(*) FROM customers GROUP BY GROUPING SETS ((country), (is_active), ())",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            GROUP BY: Group several times and put the results together: by country (ISO code of the country); by is_active; all rows together.
            SELECT: For each group, show country, is_active, and the number of rows.
        "#]],
    );
}

#[test]
fn removes_duplicates() {
    check(
        "SELECT DISTINCT country FROM customers",
        expect![[r#"
            FROM: Start with customers (people and companies who bought at least once).
            SELECT: Show country (ISO code of the country).
            DISTINCT: Remove duplicate rows.
        "#]],
    );
}

#[test]
fn keeps_the_first_of_each() {
    check(
        "SELECT DISTINCT ON (customer_id) customer_id, total FROM orders ORDER BY customer_id, ordered_at DESC",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            SELECT: Show customer_id (who bought) and total (gross amount in euros).
            DISTINCT ON: For each different value of customer_id, keep only the first row in the order below.
            ORDER BY: Sort by customer_id from lowest to highest, then by ordered_at from latest to earliest.
        "#]],
    );
}

#[test]
fn ranks_within_groups() {
    check(
        "SELECT department, name, rank() OVER (PARTITION BY department ORDER BY salary DESC) AS place FROM employees",
        expect![[r#"
            FROM: Start with employees.
            WINDOW: For each row, without merging rows, work out place, which is the row's rank among the rows with the same department, sorted by salary from highest to lowest (equal rows share a rank, and the ranks after them are skipped).
            SELECT: Show department, name, and place.
        "#]],
    );
}

#[test]
fn runs_totals() {
    check(
        "SELECT id, sum(total) OVER (ORDER BY ordered_at) AS running, avg(total) OVER (ORDER BY ordered_at ROWS BETWEEN 6 PRECEDING AND CURRENT ROW) AS week, lag(total) OVER w AS before, total / sum(total) OVER () AS share FROM orders WINDOW w AS (PARTITION BY customer_id ORDER BY ordered_at)",
        expect![[r#"
            FROM: Start with orders (purchases, one row each).
            WINDOW: For each row, without merging rows, work out running, which is the sum of total (gross amount in euros) from the first row up to this one, among all rows, sorted by ordered_at from earliest to latest; week, which is the average of total over the rows from 6 rows before this one to this one, among all rows, sorted by ordered_at from earliest to latest; before, which is total of the previous row, among the rows with the same customer_id (who bought), sorted by ordered_at from earliest to latest; the sum of total over all rows.
            SELECT: Show id, running, week, before, and total divided by the sum of total over all rows (as share).
        "#]],
    );
}
