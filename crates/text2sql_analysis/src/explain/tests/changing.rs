//! Statements that change something: what they would do.

use expect_test::expect;

use super::check;
use crate::explain::affected_rows;

#[test]
fn says_what_a_deletion_would_delete() {
    check(
        "DELETE FROM orders WHERE total < 5",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        DELETE: Would delete rows of orders (purchases, one row each).
        WHERE: Only rows where total (gross amount in euros) is less than 5 would be deleted.
    "#]],
    );
    check(
        "DELETE FROM orders",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        DELETE: Would delete rows of orders (purchases, one row each).
        WHERE: There is no condition: every row would be deleted.
    "#]],
    );
    check(
        "DELETE FROM orders o USING customers c WHERE o.customer_id = c.id AND c.name = 'x' RETURNING o.id",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            DELETE: Would delete rows of orders (alias o; purchases, one row each).
            FROM: Start with orders (alias o).
            FROM: Add the rows of customers (alias c; people and companies who bought at least once) that match by the conditions of WHERE. Each order belongs to one customer; a customer can have many orders.
            WHERE: Only rows where orders.customer_id (who bought) equals customers.id and customers.name is 'x' would be deleted.
            RETURNING: Of each such row it would show orders.id.
        "#]],
    );
}

#[test]
fn says_what_an_update_would_change() {
    check(
        "UPDATE orders SET total = total * 1.1, status = 'paid' WHERE status = 'new' RETURNING id",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            UPDATE: Would change rows of orders (purchases, one row each).
            SET: In each of them, total becomes total (gross amount in euros) times 1.1 and status becomes 'paid'.
            WHERE: Only rows where status is 'new' would be changed.
            RETURNING: Of each such row it would show id.
        "#]],
    );
    check(
        "UPDATE orders o SET total = 0 FROM customers c WHERE c.id = o.customer_id",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            UPDATE: Would change rows of orders (alias o; purchases, one row each).
            SET: In each of them, total becomes 0.
            FROM: Start with orders (alias o).
            FROM: Add the rows of customers (alias c; people and companies who bought at least once) that match by the conditions of WHERE. Each order belongs to one customer; a customer can have many orders.
            WHERE: Only rows where customers.id equals orders.customer_id (who bought) would be changed.
        "#]],
    );
}

#[test]
fn says_what_an_insertion_would_add() {
    check(
        "INSERT INTO customers (id, name) VALUES (1, 'a'), (2, 'b') ON CONFLICT (id) DO UPDATE SET name = excluded.name",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            INSERT: Would add rows to customers (people and companies who bought at least once), filling id and name. The columns country, is_active, and email get their default, or NULL.
            VALUES: A fixed list of 2 rows: (1, 'a'), (2, 'b').
            ON CONFLICT: A row that repeats id would change the row that is there instead: name becomes excluded.name.
        "#]],
    );
    check(
        "WITH late AS (SELECT * FROM orders WHERE total > 5) INSERT INTO customers SELECT id FROM late ON CONFLICT DO NOTHING",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            WITH late: Prepare a helper result called late, in the next 3 steps.
            late: FROM: Start with orders (purchases, one row each).
            late: WHERE: Keep only the rows where total (gross amount in euros) is greater than 5.
            late: SELECT: Show all columns.
            INSERT: Would add rows to customers (people and companies who bought at least once), filling all columns in their order.
            FROM: Start with late.
            SELECT: Show id.
            ON CONFLICT: A row that repeats a unique key is left out.
        "#]],
    );
}

#[test]
fn says_what_a_merge_and_a_writing_helper_would_do() {
    check(
        "MERGE INTO customers c USING orders o ON o.customer_id = c.id WHEN MATCHED AND o.total > 5 THEN UPDATE SET name = 'x' WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (o.customer_id)",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            MERGE: Would go through orders (alias o; purchases, one row each) and look for rows of customers (alias c; people and companies who bought at least once) where orders.customer_id (who bought) equals customers.id.
            WHEN: For a row with a match where orders.total (gross amount in euros) is greater than 5, it would change the row: name becomes 'x'.
            WHEN: For a row with a match, it would delete the row.
            WHEN: For a row without a match, it would add a row.
        "#]],
    );
    check(
        "WITH gone AS (DELETE FROM orders WHERE total = 0 RETURNING id) SELECT count(*) FROM gone",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            WITH gone: Prepare a helper result called gone, in the next 3 steps.
            gone: DELETE: Would delete rows of orders (purchases, one row each).
            gone: WHERE: Only rows where total (gross amount in euros) is 0 would be deleted.
            gone: RETURNING: Of each such row it would show id.
            FROM: Start with gone.
            SELECT: Take all these rows together and show, as one row: the number of rows.
        "#]],
    );
    check(
        "SELECT id INTO copy FROM orders",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        INTO: Would create a table of the rows of this query.
        FROM: Start with orders (purchases, one row each).
        SELECT: Show id.
    "#]],
    );
}

#[test]
fn says_what_a_definition_would_change() {
    check(
        "CREATE TABLE t (id integer PRIMARY KEY, name text)",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            CREATE TABLE: Would create the table t with the columns id and name.
        "#]],
    );
    check(
        "CREATE UNIQUE INDEX ON orders (customer_id, total)",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            CREATE INDEX: Would create a unique index on orders (customer_id, total); meanwhile nobody can write to that table.
        "#]],
    );
    check(
        "CREATE INDEX CONCURRENTLY ON orders (total)",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        CREATE INDEX: Would create an index on orders (total), without blocking writes.
    "#]],
    );
    check(
        "CREATE VIEW big AS SELECT id FROM orders WHERE total > 100",
        expect![[r#"
            CHANGES: This statement changes something. It is explained, and nothing is run.
            CREATE VIEW: Would create the view big of this query.
            FROM: Start with orders (purchases, one row each).
            WHERE: Keep only the rows where total (gross amount in euros) is greater than 100.
            SELECT: Show id.
        "#]],
    );
    check(
        "ALTER TABLE orders DROP COLUMN total",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        ALTER TABLE: Would change the table orders: DROP COLUMN total.
    "#]],
    );
    check(
        "TRUNCATE orders, customers CASCADE",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        TRUNCATE: Would delete every row of orders and customers, and of all tables that refer to it.
    "#]],
    );
    check(
        "DROP TABLE orders CASCADE",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        DROP TABLE: Would remove the table orders, and everything that depends on it, for good.
    "#]],
    );
    check(
        "GRANT SELECT ON orders TO public",
        expect![[r#"
        CHANGES: This statement changes something. It is explained, and nothing is run.
        GRANT: This is a GRANT command, not a query; it is not run here.
    "#]],
    );
}

#[test]
fn counts_the_rows_of_one_table() {
    assert_eq!(
        affected_rows("UPDATE orders SET total = 1 WHERE id > 5").as_deref(),
        Some("SELECT count(*) FROM orders WHERE id > 5")
    );
    assert_eq!(
        affected_rows("DELETE FROM orders AS o").as_deref(),
        Some("SELECT count(*) FROM orders AS o")
    );
    assert_eq!(affected_rows("DELETE FROM orders USING customers"), None);
    assert_eq!(affected_rows("SELECT 1"), None);
}
