//! Literals, NULLs, ranges, time zones.

use super::super::{Check, Severity};
use super::{has_finding, has_no_finding};

#[test]
fn values_that_statistics_exclude_are_found() {
    has_finding(
        Check::UnknownValue,
        Severity::Warning,
        &[
            "SELECT * FROM orders WHERE status = 'Paid'",
            "SELECT * FROM orders WHERE status IN ('paid', 'open')",
            "SELECT * FROM countries WHERE continent = 'europe'",
            "SELECT * FROM orders WHERE 'cancelled' = status",
            "SELECT * FROM products WHERE color <> 'green'",
            "SELECT count(*) FILTER (WHERE status = 'PAID') FROM orders",
            "SELECT c.name FROM customers c JOIN orders o ON o.customer_id = c.customer_id AND o.currency = 'EURO'",
        ],
    );
    has_no_finding(
        Check::UnknownValue,
        Severity::Note,
        &[
            "SELECT * FROM orders WHERE status = 'paid'",
            "SELECT * FROM customers WHERE name = 'somebody'",
            "SELECT * FROM orders WHERE status LIKE 'x%'",
            "SELECT * FROM orders WHERE status IN ('new', 'returned')",
            "SELECT * FROM orders WHERE total = 5",
            "SELECT * FROM orders WHERE status = currency",
            "SELECT * FROM orders WHERE lower(status) = 'PAID'",
        ],
    );
}

#[test]
fn comparisons_with_null_are_certainly_wrong() {
    has_finding(
        Check::DroppedNulls,
        Severity::Error,
        &[
            "SELECT order_id FROM orders WHERE total = NULL",
            "SELECT order_id FROM orders WHERE NULL <> total",
            "SELECT order_id FROM orders WHERE total > NULL::numeric OR status = 'paid'",
            "SELECT count(*) FILTER (WHERE total = NULL) FROM orders",
            "SELECT CASE WHEN total = NULL THEN 0 ELSE 1 END FROM orders",
            "SELECT order_id FROM orders WHERE total IN (NULL)",
            "SELECT order_id FROM orders WHERE total BETWEEN 1 AND NULL",
            "SELECT order_id FROM orders WHERE status LIKE NULL",
        ],
    );
    has_finding(
        Check::DroppedNulls,
        Severity::Warning,
        &[
            "SELECT order_id FROM orders WHERE status IN ('paid', NULL)",
            "SELECT order_id FROM orders WHERE total IN (1, NULL)",
            "SELECT order_id FROM orders WHERE customer_id IN (NULL, 2)",
            "SELECT order_id FROM orders WHERE total > 5 OR total IN (1, NULL::numeric)",
            "SELECT count(*) FILTER (WHERE status IN ('new', NULL)) FROM orders",
        ],
    );
    has_no_finding(
        Check::DroppedNulls,
        Severity::Error,
        &[
            "SELECT order_id FROM orders WHERE total IS NULL",
            "SELECT order_id FROM orders WHERE total IS NOT DISTINCT FROM NULL",
            "SELECT coalesce(total, NULL) FROM orders WHERE status = 'NULL'",
            "SELECT order_id FROM orders WHERE (total = 1) IS NULL",
            "SELECT order_id FROM orders WHERE NULLIF(total, 0) = 5",
            "SELECT order_id FROM orders WHERE total NOT BETWEEN 1 AND NULL",
        ],
    );
}

#[test]
fn filters_that_drop_nulls_are_found() {
    has_finding(
        Check::DroppedNulls,
        Severity::Warning,
        &[
            "SELECT * FROM customers WHERE email <> 'a@b.c'",
            "SELECT * FROM events WHERE kind NOT IN ('click', 'view')",
            "SELECT * FROM events WHERE kind NOT LIKE 'c%'",
            "SELECT * FROM customers WHERE NOT (credit_limit = 100)",
            "SELECT * FROM customers WHERE credit_limit NOT BETWEEN 1 AND 2",
            "SELECT count(*) FROM products WHERE color <> 'red' AND name = 'x'",
        ],
    );
    has_no_finding(
        Check::DroppedNulls,
        Severity::Note,
        &[
            "SELECT * FROM customers WHERE name <> 'x'",
            "SELECT * FROM customers WHERE email <> 'a@b.c' OR email IS NULL",
            "SELECT * FROM customers WHERE email = 'a@b.c'",
            "SELECT * FROM customers WHERE email IS NOT NULL AND email <> 'a@b.c'",
            "SELECT * FROM customers WHERE email IS DISTINCT FROM 'a@b.c'",
            "SELECT * FROM orders WHERE customer_id NOT IN (1, 2)",
            "SELECT * FROM customers WHERE coalesce(email, '') <> 'a@b.c'",
        ],
    );
}

#[test]
fn not_in_with_a_null_is_found() {
    has_finding(
        Check::NotInWithNulls,
        Severity::Warning,
        &[
            "SELECT * FROM customers WHERE customer_id NOT IN (SELECT referred_by FROM customers)",
            "SELECT * FROM orders WHERE customer_id NOT IN (1, NULL)",
            "SELECT * FROM products WHERE color NOT IN (SELECT kind FROM events)",
            "SELECT * FROM customers WHERE NOT (name IN (SELECT email FROM customers))",
            "SELECT * FROM customers c WHERE c.credit_limit NOT IN (SELECT credit_limit FROM customers WHERE name = 'x')",
            "SELECT count(*) FROM orders WHERE status = 'new' AND status NOT IN ('paid', NULL)",
        ],
    );
    has_no_finding(
        Check::NotInWithNulls,
        Severity::Note,
        &[
            "SELECT * FROM customers WHERE customer_id NOT IN (SELECT customer_id FROM orders)",
            "SELECT * FROM customers WHERE customer_id IN (SELECT referred_by FROM customers)",
            "SELECT * FROM orders WHERE customer_id NOT IN (1, 2)",
            "SELECT * FROM customers c WHERE NOT EXISTS (SELECT 1 FROM customers r WHERE r.referred_by = c.customer_id)",
            "SELECT * FROM customers WHERE customer_id NOT IN (SELECT count(*) FROM orders GROUP BY status)",
            "SELECT * FROM customers WHERE customer_id NOT IN (SELECT o.customer_id FROM orders o JOIN payments p USING (order_id))",
        ],
    );
}

#[test]
fn ranges_of_days_over_timestamps_are_found() {
    has_finding(
        Check::TimestampRange,
        Severity::Warning,
        &[
            "SELECT * FROM orders WHERE ordered_at BETWEEN '2025-01-01' AND '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at BETWEEN DATE '2025-01-01' AND DATE '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at >= '2025-01-01' AND ordered_at <= '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at = '2025-01-31'",
            "SELECT * FROM events WHERE at <= '2025-12-31'::date",
            "SELECT count(*) FILTER (WHERE o.ordered_at <= '2025-03-31') FROM orders o",
        ],
    );
    has_no_finding(
        Check::TimestampRange,
        Severity::Warning,
        &[
            "SELECT * FROM orders WHERE ordered_at >= '2025-01-01' AND ordered_at < '2025-02-01'",
            "SELECT * FROM payments WHERE paid_on BETWEEN '2025-01-01' AND '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at::date = '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at BETWEEN '2025-01-01 00:00' AND '2025-01-31 12:00'",
            "SELECT * FROM orders WHERE ordered_at > '2025-01-31'",
            "SELECT * FROM orders WHERE date_trunc('day', ordered_at) = '2025-01-31'",
            "SELECT * FROM orders WHERE ordered_at BETWEEN now() - interval '1 day' AND now()",
        ],
    );
}

#[test]
fn what_the_session_time_zone_decides_is_noted() {
    has_finding(
        Check::TimeZone,
        Severity::Note,
        &[
            "SELECT at::date, count(*) FROM events GROUP BY 1",
            "SELECT date_trunc('month', at) FROM events",
            "SELECT extract(hour FROM at) FROM events",
            "SELECT * FROM events WHERE at > '2025-01-01'",
            "SELECT to_char(shipped_at, 'YYYY-MM') FROM orders",
            "SELECT * FROM orders WHERE shipped_at > ordered_at",
            "SELECT * FROM orders WHERE ordered_at < now()",
        ],
    );
    has_no_finding(
        Check::TimeZone,
        Severity::Note,
        &[
            "SELECT ordered_at::date FROM orders",
            "SELECT (at AT TIME ZONE 'UTC')::date FROM events",
            "SELECT * FROM events WHERE at > '2025-01-01 00:00+00'",
            "SELECT * FROM events WHERE at > now() - interval '1 day'",
            "SELECT extract(epoch FROM at) FROM events",
            "SELECT date_trunc('day', at, 'UTC') FROM events",
            "SELECT * FROM payments WHERE paid_on > '2025-01-01'",
            "SELECT max(at) FROM events",
        ],
    );
}
