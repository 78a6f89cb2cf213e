//! Statements that change data or definitions.

use crate::explain::affected_rows;

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
