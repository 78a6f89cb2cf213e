//! Terms of the house and other words for tables and columns.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::{TODAY, company, propose};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};

fn house() -> Vec<Arc<Table>> {
    company()
        .into_iter()
        .map(|table| {
            let mut table = (*table).clone();
            match table.name.as_str() {
                "customers" => table.synonyms = vec!["client".to_owned(), "Kunde".to_owned()],
                "orders" => table.synonyms = vec!["Bestellung".to_owned()],
                _ => {}
            }
            for column in &mut table.columns {
                if column.name == "status" {
                    column.value_meanings = vec![
                        ("shipped".to_owned(), "on its way".to_owned()),
                        ("cancelled".to_owned(), "withdrawn".to_owned()),
                    ];
                }
                if column.name == "total" {
                    column.synonyms = vec!["turnover".to_owned(), "Umsatz".to_owned()];
                }
            }
            Arc::new(table)
        })
        .collect()
}

fn definition(term: &str, expression: &str, applies_to: u32) -> Definition {
    Definition {
        term: term.to_owned(),
        meaning: format!("what {term} means"),
        sql_expression: Some(expression.to_owned()),
        applies_to: Some(applies_to),
        synonyms: vec![format!("house {term}")],
    }
}

fn check(question: &str, expect: Expect) {
    let definitions = [
        definition(
            "revenue",
            "sum(total) FILTER (WHERE status <> 'cancelled')",
            4,
        ),
        Definition {
            synonyms: vec!["faithful".to_owned()],
            ..definition("bulk", "total >= 900", 4)
        },
        definition("loyal", "is_active AND customers.credit_limit > 1000", 2),
        definition("big order", "total >= 500", 4),
        definition("margin", "\"unit_price\" * 0.2", 6),
        Definition {
            synonyms: Vec::new(),
            term: "churn".to_owned(),
            meaning: "customers who leave".to_owned(),
            ..Definition::default()
        },
    ];
    expect.assert_eq(&match propose(question, &house(), &definitions, TODAY) {
        Proposal::Sql(proposal) => format!("{}\n{}", proposal.sql, proposal.links.join("\n")),
        other => format!("{other:?}"),
    });
}

#[test]
fn terms_are_measures_and_conditions() {
    check(
        "What is the revenue in 2025?",
        expect![[r#"
        SELECT sum(o.total) FILTER (WHERE o.status <> 'cancelled') AS revenue
        FROM orders AS o
        WHERE o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01'
        'revenue' means what revenue means: sum(total) FILTER (WHERE status <> 'cancelled')"#]],
    );
    check(
        "revenue per store",
        expect![[r#"
        SELECT s.name AS store, sum(o.total) FILTER (WHERE o.status <> 'cancelled') AS revenue
        FROM orders AS o
        JOIN stores AS s ON s.store_id = o.store_id
        GROUP BY s.store_id, s.name
        ORDER BY store
        'revenue' means what revenue means: sum(total) FILTER (WHERE status <> 'cancelled')"#]],
    );
    check(
        "Which customers have the highest revenue?",
        expect![[r#"
            SELECT c.name AS customer
            FROM orders AS o
            JOIN customers AS c ON c.customer_id = o.customer_id
            GROUP BY c.customer_id, c.name
            ORDER BY sum(o.total) FILTER (WHERE o.status <> 'cancelled') DESC NULLS LAST, customer
            LIMIT 1
            'revenue' means what revenue means: sum(total) FILTER (WHERE status <> 'cancelled')"#]],
    );
    check(
        "How many loyal customers are there in Germany?",
        expect![[r#"
            SELECT count(*) AS customers
            FROM customers AS c
            JOIN countries AS c2 ON c2.country_code = c.country_code
            WHERE (c.is_active AND c.credit_limit > 1000) AND c2.name = 'Germany'
            'loyal' means what loyal means: is_active AND customers.credit_limit > 1000
            'Germany' is countries.name"#]],
    );
    check(
        "Which customers are not loyal?",
        expect![[r#"
        SELECT c.name
        FROM customers AS c
        WHERE NOT (c.is_active AND c.credit_limit > 1000)
        ORDER BY c.customer_id
        'loyal' means what loyal means: is_active AND customers.credit_limit > 1000"#]],
    );
    check(
        "How many big orders were placed in 2025?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE (o.total >= 500) AND o.ordered_on >= DATE '2025-01-01' AND o.ordered_on < DATE '2026-01-01'
        'big order' means what big order means: total >= 500"#]],
    );
    check(
        "What is the average margin?",
        expect![[r#"
        SELECT avg(p.unit_price * 0.2) AS average_margin
        FROM products AS p
        'margin' means what margin means: "unit_price" * 0.2"#]],
    );
    check(
        "What is the margin?",
        expect![[
            r#"Unanswerable { reason: "it is not said how several values are put together", missing: [], nearest: [] }"#
        ]],
    );
    check(
        "What is the churn?",
        expect![[
            r#"Unanswerable { reason: "\"churn\" is defined in words alone (customers who leave), and the built-in engine needs its SQL", missing: ["churn"], nearest: [] }"#
        ]],
    );
}

#[test]
fn other_words_name_tables_and_columns() {
    check(
        "How many clients are there?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        'clients' is table customers"#]],
    );
    check(
        "What is the total turnover of orders?",
        expect![[r#"
        SELECT sum(o.total) AS total_total
        FROM orders AS o
    "#]],
    );
    check(
        "Wie viele Kunden gibt es in Germany?",
        expect![[r#"
        SELECT count(*) AS customers
        FROM customers AS c
        JOIN countries AS c2 ON c2.country_code = c.country_code
        WHERE c2.name = 'Germany'
        „Kunden“ ist die Tabelle customers
        „Germany“ ist countries.name"#]],
    );
    check(
        "Wie viele Bestellungen haben die Kunden aus Germany?",
        expect![[r#"
            SELECT count(*) AS orders
            FROM orders AS o
            JOIN customers AS c ON c.customer_id = o.customer_id
            JOIN countries AS c2 ON c2.country_code = c.country_code
            WHERE c2.name = 'Germany'
            „Bestellungen“ ist die Tabelle orders
            „Kunden“ ist die Tabelle customers
            „Germany“ ist countries.name"#]],
    );
    check(
        "Wie hoch ist der durchschnittliche Umsatz der Bestellungen?",
        expect![[r#"
            SELECT avg(o.total) AS average_total
            FROM orders AS o
            „Bestellungen“ ist die Tabelle orders"#]],
    );
}

#[test]
fn a_synonym_of_a_term_is_the_term() {
    check(
        "How many faithful orders are there?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE (o.total >= 900)
        'bulk' means what bulk means: total >= 900"#]],
    );
}

#[test]
fn what_a_code_means_is_the_code() {
    check(
        "How many withdrawn orders are there?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE o.status = 'cancelled'
        'cancelled' is orders.status"#]],
    );
    check(
        "How many orders are on its way?",
        expect![[r#"
        SELECT count(*) AS orders
        FROM orders AS o
        WHERE o.status = 'shipped'
        'shipped' is orders.status"#]],
    );
}

#[test]
fn a_term_defined_in_words_alone_is_no_unknown_word() {
    let known = [Definition {
        sql_expression: None,
        applies_to: None,
        ..definition("headcount", "", 8)
    }];
    let said = |question: &str| match propose(question, &house(), &known, TODAY) {
        Proposal::Unanswerable { reason, .. } => reason,
        other => format!("{other:?}"),
    };
    assert_eq!(
        said("What is the headcount?"),
        "\"headcount\" is defined in words alone (what headcount means), and the built-in engine needs its SQL"
    );
    assert_eq!(
        said("Wie ist der headcount?"),
        "„headcount“ ist nur in Worten erklärt (what headcount means), und die eingebaute Maschine braucht dazu SQL"
    );
    assert_eq!(
        said("How many dragons are there?"),
        "nothing readable is called \"dragons\""
    );
}

#[test]
fn a_term_with_a_query_in_it_is_left_to_models() {
    let known = [definition(
        "frequent buyer",
        "(SELECT count(*) FROM orders o WHERE o.customer_id = customers.customer_id) > 3",
        2,
    )];
    let declined = propose(
        "How many frequent buyers are there?",
        &house(),
        &known,
        TODAY,
    );
    let Proposal::Unanswerable { reason, .. } = declined else {
        panic!("{declined:?}");
    };
    assert_eq!(
        reason,
        "\"frequent buyer\" is defined by a sub-query, and the built-in engine uses none"
    );
    // Its aggregate is none of the rows of the table: it would come once for each of them.
    let known = [definition(
        "peak pay",
        "(SELECT max(salary) FROM employees)",
        2,
    )];
    let declined = propose("What is the peak pay?", &house(), &known, TODAY);
    assert!(
        matches!(declined, Proposal::Unanswerable { .. }),
        "{declined:?}"
    );
}
