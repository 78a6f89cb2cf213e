//! Division, averages, units, types, LIMIT.

use super::super::{Check, Severity};
use super::{has_finding, has_no_finding};

#[test]
fn quotients_of_whole_numbers_are_found() {
    has_finding(
        Check::IntegerDivision,
        Severity::Warning,
        &[
            "SELECT count(*) / 7 FROM orders",
            "SELECT quantity / 2 FROM orders",
            "SELECT count(*) FILTER (WHERE status = 'paid') / count(*) FROM orders",
            "SELECT 100 * (sum(quantity) / count(*)) FROM orders",
            "SELECT sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) / count(*) AS share FROM orders",
            "SELECT customer_id FROM orders GROUP BY customer_id HAVING count(*) / 2 > 3",
            "WITH n AS (SELECT count(*) AS c FROM orders) SELECT c / 3 FROM n",
        ],
    );
    has_no_finding(
        Check::IntegerDivision,
        Severity::Note,
        &[
            "SELECT count(*) / 7.0 FROM orders",
            "SELECT quantity::numeric / 2 FROM orders",
            "SELECT total / quantity FROM orders",
            "SELECT avg(quantity) / 2 FROM orders",
            "SELECT quantity / 10 * 10 AS bucket FROM orders",
            "SELECT 7 / 2",
            "SELECT round(count(*) * 1.0 / 3, 2) FROM orders",
            "SELECT sum(order_id) / 2 FROM orders",
        ],
    );
}

#[test]
fn averages_of_averages_are_found() {
    has_finding(
        Check::AverageOfAverages,
        Severity::Warning,
        &[
            "SELECT avg(m) FROM (SELECT customer_id, avg(total) AS m FROM orders GROUP BY customer_id) x",
            "WITH d AS (SELECT status, avg(total) AS mean FROM orders GROUP BY status) SELECT avg(mean) FROM d",
            "SELECT sum(m) FROM (SELECT avg(total) AS m FROM orders GROUP BY status) x",
            "SELECT avg(m) FROM (SELECT round(avg(total), 2) AS m FROM orders GROUP BY status) x",
            "SELECT n.continent, avg(x.m) FROM countries n JOIN (SELECT country_id, avg(credit_limit) AS m FROM customers GROUP BY country_id) x USING (country_id) GROUP BY n.continent",
        ],
    );
    has_no_finding(
        Check::AverageOfAverages,
        Severity::Note,
        &[
            "SELECT avg(total) FROM orders",
            "SELECT avg(n) FROM (SELECT customer_id, count(*) AS n FROM orders GROUP BY customer_id) x",
            "SELECT avg(s) FROM (SELECT sum(total) AS s FROM orders GROUP BY customer_id) x",
            "SELECT max(m) FROM (SELECT avg(total) AS m FROM orders GROUP BY status) x",
            "SELECT sum(s) / sum(n) FROM (SELECT sum(total) AS s, count(*) AS n FROM orders GROUP BY status) x",
            "SELECT m FROM (SELECT avg(total) AS m FROM orders GROUP BY status) x WHERE m > 5",
        ],
    );
}

#[test]
fn units_and_grains_that_do_not_fit_are_found() {
    has_finding(
        Check::MixedUnits,
        Severity::Warning,
        &[
            "SELECT weight_kg + weight_lb FROM products",
            "SELECT * FROM products WHERE box_cm > box_inch",
            "SELECT sum(price_eur) - sum(price_usd) FROM order_lines",
            "SELECT duration_min - pause_sec FROM events",
            "SELECT sum(total) FROM orders",
            "SELECT customer_id, avg(total) FROM orders GROUP BY customer_id",
            "SELECT * FROM orders WHERE date_trunc('month', ordered_at) = date_trunc('day', ordered_at)",
            "WITH m AS (SELECT date_trunc('month', ordered_at) AS month FROM orders), d AS (SELECT date_trunc('day', ordered_at) AS day FROM orders) SELECT * FROM m JOIN d ON m.month = d.day",
        ],
    );
    has_no_finding(
        Check::MixedUnits,
        Severity::Note,
        &[
            "SELECT weight_kg * 2.2 - weight_lb FROM products",
            "SELECT currency, sum(total) FROM orders GROUP BY currency",
            "SELECT sum(total) FROM orders WHERE currency = 'EUR'",
            "SELECT sum(quantity) FROM order_lines, orders WHERE currency = 'EUR' AND orders.order_id = order_lines.order_id",
            "SELECT sum(pieces) FROM order_lines",
            "SELECT * FROM orders WHERE date_trunc('day', ordered_at) = date_trunc('day', shipped_at)",
            "SELECT weight_kg, weight_lb FROM products",
            "SELECT box_cm + weight_kg FROM products",
        ],
    );
}

#[test]
fn comparisons_across_types_are_found() {
    has_finding(
        Check::ImplicitCast,
        Severity::Warning,
        &[
            "SELECT * FROM products WHERE size > '10'",
            "SELECT * FROM products WHERE size BETWEEN '8' AND '12'",
            "SELECT * FROM products ORDER BY size",
            "SELECT max(size) FROM products",
            "SELECT * FROM orders WHERE quantity = 2.5",
            "SELECT * FROM orders o JOIN payments p ON p.paid_on = o.ordered_at",
            "SELECT name FROM products ORDER BY size DESC LIMIT 1",
        ],
    );
    has_no_finding(
        Check::ImplicitCast,
        Severity::Note,
        &[
            "SELECT * FROM products WHERE size = '10'",
            "SELECT * FROM products ORDER BY size::numeric",
            "SELECT * FROM customers ORDER BY name",
            "SELECT * FROM orders WHERE quantity = 2",
            "SELECT * FROM orders WHERE quantity = 2.0",
            "SELECT * FROM customers WHERE name > 'M'",
            "SELECT * FROM orders o JOIN payments p ON p.order_id = o.order_id",
            "SELECT max(total) FROM orders",
        ],
    );
}

#[test]
fn limits_in_no_certain_order_are_found() {
    has_finding(
        Check::ArbitraryLimit,
        Severity::Warning,
        &[
            "SELECT * FROM orders LIMIT 10",
            "SELECT name FROM customers WHERE country_id = 1 LIMIT 1",
            "SELECT status, count(*) FROM orders GROUP BY status LIMIT 2",
            "WITH x AS (SELECT * FROM orders LIMIT 5) SELECT sum(quantity) FROM x",
            "SELECT DISTINCT status FROM orders LIMIT 2",
        ],
    );
    has_finding(
        Check::ArbitraryLimit,
        Severity::Note,
        &[
            "SELECT * FROM orders ORDER BY total LIMIT 10",
            "SELECT name FROM customers ORDER BY signed_up DESC LIMIT 1",
            "SELECT status, count(*) AS n FROM orders GROUP BY status ORDER BY n DESC LIMIT 1",
            "SELECT c.name FROM customers c JOIN orders o USING (customer_id) ORDER BY c.customer_id LIMIT 3",
            "SELECT DISTINCT status, currency FROM orders ORDER BY status LIMIT 2",
        ],
    );
    has_no_finding(
        Check::ArbitraryLimit,
        Severity::Note,
        &[
            "SELECT * FROM orders ORDER BY total, order_id LIMIT 10",
            "SELECT name FROM countries ORDER BY name LIMIT 3",
            "SELECT count(*) FROM orders LIMIT 1",
            "SELECT status, count(*) FROM orders GROUP BY status ORDER BY status LIMIT 1",
            "SELECT * FROM orders WHERE order_id = 5 LIMIT 1",
            "SELECT * FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.customer_id LIMIT 1)",
            "SELECT DISTINCT status FROM orders ORDER BY status LIMIT 2",
            "SELECT c.name, count(*) FROM customers c JOIN orders o USING (customer_id) GROUP BY c.customer_id, c.name ORDER BY c.customer_id LIMIT 3",
        ],
    );
}

#[test]
fn shares_are_not_averaged_and_citext_stays_what_it_is() {
    use super::super::{Probe, find};
    use text2sql_domain::schema_fixture::Build;
    let tables = vec![
        Build::table(1, "cheeses")
            .columns(
                "cheese_id integer!, fat_pct numeric, won integer, shown integer, maker citext",
            )
            .comment("won", "prizes")
            .key(&["cheese_id"])
            .with(|table| {
                for column in &mut table.columns {
                    if column.name == "maker" {
                        column.type_name = "citext".to_owned();
                    }
                }
            })
            .done(),
    ];
    for (sql, check, expected) in [
        (
            "SELECT avg(fat_pct) FROM cheeses",
            Check::AverageOfAverages,
            true,
        ),
        (
            "SELECT avg(won / shown) FROM cheeses",
            Check::AverageOfAverages,
            true,
        ),
        (
            "SELECT avg(round(100 * (won / shown), 1)) FROM cheeses",
            Check::AverageOfAverages,
            true,
        ),
        (
            "SELECT avg(won / 2) FROM cheeses",
            Check::AverageOfAverages,
            false,
        ),
        (
            "SELECT avg(won) FROM cheeses",
            Check::AverageOfAverages,
            false,
        ),
        (
            "SELECT 1 FROM cheeses WHERE maker::text = 'Ada'",
            Check::ImplicitCast,
            true,
        ),
        (
            "SELECT count(DISTINCT maker::text) FROM cheeses",
            Check::ImplicitCast,
            true,
        ),
        (
            "SELECT 1 FROM cheeses WHERE maker = 'Ada'",
            Check::ImplicitCast,
            false,
        ),
        (
            "SELECT count(DISTINCT maker) FROM cheeses",
            Check::ImplicitCast,
            false,
        ),
    ] {
        let findings = find(sql, &tables).unwrap().expect("parsed");
        let mut of_check = findings.iter().filter(|finding| finding.check == check);
        let is_found = of_check.any(|finding| {
            check == Check::AverageOfAverages || matches!(finding.probe, Some(Probe::Rows { .. }))
        });
        assert_eq!(is_found, expected, "{sql}: {findings:#?}");
    }
}
