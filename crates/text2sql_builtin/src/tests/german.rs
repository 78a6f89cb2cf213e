//! German questions over the same company.

use expect_test::expect;

use super::{check, says};

#[test]
fn lists_and_counts() {
    check(
        "Wie viele customers gibt es?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c"#]],
    );
    check(
        "Wie viele customers kommen aus Germany?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        JOIN countries AS c2 ON c2.country_code = c.country_code
        WHERE c2.name = 'Germany'"#]],
    );
    check(
        "Zeige die names der stores in Berlin.",
        expect![[r#"
        SELECT s.name
        FROM stores AS s
        WHERE s.city = 'Berlin'
        ORDER BY s.store_id"#]],
    );
    check(
        "Wie viele orders gab es im März 2025?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE o.ordered_on >= DATE '2025-03-01' AND o.ordered_on < DATE '2025-04-01'"#]],
    );
    check(
        "Welche customers haben keine orders?",
        expect![[r#"
        SELECT c.name
        FROM customers AS c
        WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE c.customer_id = o.customer_id)
        ORDER BY c.customer_id"#]],
    );
}

#[test]
fn groups_and_ranks() {
    check(
        "Wie viele orders gibt es pro store?",
        expect![[r#"
        SELECT s.name AS store, count(*) AS orders
        FROM orders AS o
        JOIN stores AS s ON s.store_id = o.store_id
        GROUP BY s.store_id, s.name
        ORDER BY store"#]],
    );
    check(
        "Welcher store hat die meisten orders?",
        expect![[r#"
        SELECT s.name AS store
        FROM orders AS o
        JOIN stores AS s ON s.store_id = o.store_id
        GROUP BY s.store_id, s.name
        ORDER BY count(*) DESC, store
        LIMIT 1"#]],
    );
    check(
        "Zeige für jede category die Anzahl der products.",
        expect![[r#"
            SELECT c.name AS category, count(*) AS products
            FROM products AS p
            JOIN categories AS c ON c.category_id = p.category_id
            GROUP BY c.category_id, c.name
            ORDER BY category"#]],
    );
    check(
        "Zeige die fünf teuersten products.",
        expect![[r#"
        SELECT p.name, p.unit_price
        FROM products AS p
        ORDER BY unit_price DESC, p.product_id
        LIMIT 5"#]],
    );
    check(
        "Welches product ist am teuersten?",
        expect![[r#"
        SELECT p.name
        FROM products AS p
        ORDER BY p.unit_price DESC, p.product_id
        LIMIT 1"#]],
    );
}

#[test]
fn clauses_with_the_verb_at_the_end() {
    check(
        "Welche customers, die in Germany wohnen, haben mehr als drei orders?",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            WHERE c2.name = 'Germany' AND (SELECT count(*) FROM orders AS o WHERE c.customer_id = o.customer_id) > 3
            ORDER BY c.customer_id"#]],
    );
    check(
        "Zeige die names der customers, die mehr als 3 orders haben.",
        expect![[r#"
            SELECT c.name
            FROM customers AS c
            WHERE (SELECT count(*) FROM orders AS o WHERE c.customer_id = o.customer_id) > 3
            ORDER BY c.customer_id"#]],
    );
    check(
        "Zeige die products, deren unit price größer als 1.000,50 ist.",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.unit_price > 1000.50
            ORDER BY p.product_id"#]],
    );
    check(
        "Zeige die products, deren name 'Zelt' enthält.",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.name ILIKE '%Zelt%'
            ORDER BY p.product_id"#]],
    );
    check(
        "Zeige die products, deren name mit A beginnt.",
        expect![[r#"
            SELECT p.name
            FROM products AS p
            WHERE p.name ILIKE 'A%'
            ORDER BY p.product_id"#]],
    );
    check(
        "Zeige die orders, die nach dem 31.12.2024 aufgegeben wurden.",
        expect![[r#"
            SELECT o.order_id
            FROM orders AS o
            WHERE o.ordered_on >= DATE '2025-01-01'
            ORDER BY order_id"#]],
    );
}

#[test]
fn german_sentences() {
    says(
        "Wie viele customers kommen aus Germany?",
        expect![[r#"
        Anzahl customers aus Germany: {rows[0].customers}.
        „Germany“ ist countries.name"#]],
    );
    says(
        "Wie hoch ist das durchschnittliche salary der employees?",
        expect![[r#"
            Durchschnitt von salary: {rows[0].average_salary}.
        "#]],
    );
    says(
        "Wie viele products gibt es pro category?",
        expect![[r#"
        Anzahl products je category: {row_count} Zeilen.
    "#]],
    );
}

#[test]
fn german_reasons() {
    check(
        "Wie viele Raketen gibt es?",
        expect![[
            r#"Unanswerable { reason: "nichts Lesbares heißt \"Raketen\"", missing: ["Raketen"], nearest: [] }"#
        ]],
    );
    check(
        "Welche orders sind schön?",
        expect![[
            r#"Unanswerable { reason: "nichts Lesbares heißt \"schön\"", missing: ["schön"], nearest: [] }"#
        ]],
    );
    check(
        "Wie hoch ist das salary der employees?",
        expect![[
            r#"Unanswerable { reason: "es ist nicht gesagt, wie mehrere Werte zusammengefasst werden", missing: [], nearest: [] }"#
        ]],
    );
    check(
        "Wie wird das Wetter morgen?",
        expect![[
            r#"Unanswerable { reason: "nichts Lesbares heißt \"morgen\"", missing: ["morgen"], nearest: [] }"#
        ]],
    );
}

#[test]
fn a_bare_year_says_when() {
    let expected = || {
        expect![[r#"
            SELECT count(*) AS orders
            FROM orders AS o
            WHERE o.ordered_on >= DATE '2024-01-01' AND o.ordered_on < DATE '2025-01-01'"#]]
    };
    check("Wie viele orders gab es 2024?", expected());
    check("Wie viele orders gab es im Jahr 2024?", expected());
    check(
        "Anzahl der orders pro Monat 2024",
        expect![[r#"
            SELECT date_trunc('month', o.ordered_on)::date AS month, count(*) AS orders
            FROM orders AS o
            WHERE o.ordered_on >= DATE '2024-01-01' AND o.ordered_on < DATE '2025-01-01'
            GROUP BY date_trunc('month', o.ordered_on)::date
            ORDER BY month"#]],
    );
}
