//! Metadata added by curators is explained: the same query with a plain and an annotated schema.

use std::sync::Arc;

use super::super::meanings;
use text2sql_domain::schema::Definition;
use text2sql_domain::schema_fixture::shop;

fn explained(sql: &str, is_annotated: bool) -> Vec<String> {
    let mut tables = shop();
    if is_annotated {
        for table in &mut tables {
            for column in &mut Arc::make_mut(table).columns {
                if column.name == "currency" {
                    column.value_meanings = vec![
                        ("EUR".to_owned(), "euros".to_owned()),
                        ("USD".to_owned(), "US dollars".to_owned()),
                    ];
                }
            }
        }
    }
    let definitions = [
        ("revenue", "money that has arrived", "sum(total)", Some(3)),
        (
            "paid order",
            "an order whose money has arrived",
            "status = 'paid' AND total > 0",
            Some(3),
        ),
        ("age", "how long ago", "now() - signed_up", Some(2)),
    ]
    .map(|(term, meaning, expression, table)| Definition {
        term: term.to_owned(),
        meaning: meaning.to_owned(),
        sql_expression: Some(expression.to_owned()),
        applies_to: table,
        ..Definition::default()
    });
    let definitions = if is_annotated { &definitions[..] } else { &[] };
    meanings(sql, &tables, definitions)
        .into_iter()
        .map(|step| format!("{}: {}", step.clause, step.explanation))
        .collect()
}

#[test]
fn values_and_terms_are_spelled_out() {
    let sql = "SELECT o.currency, sum(o.total) FROM orders o WHERE o.currency = 'EUR' AND o.total > 0 AND o.status = 'paid' GROUP BY 1";
    assert!(explained(sql, false).is_empty());
    assert_eq!(
        explained(sql, true),
        [
            "MEANING: In orders.currency, 'EUR' means euros.",
            "DEFINITION: `sum(total)` is what revenue means here: money that has arrived.",
            "DEFINITION: `status = 'paid' AND total > 0` is what paid order means here: an order \
             whose money has arrived.",
        ]
    );
    assert_eq!(
        explained("SELECT DISTINCT currency FROM orders", true),
        ["MEANING: In orders.currency, 'EUR' means euros, 'USD' means US dollars."]
    );
    assert!(
        explained(
            "SELECT sum(quantity) FROM orders WHERE status = 'paid'",
            true
        )
        .is_empty()
    );
    assert!(explained("SELECT sum(amount) FROM payments", true).is_empty());
}

#[test]
fn the_same_query_over_a_bare_and_an_annotated_schema_reads_differently() {
    let sql = "SELECT status, sum(total) FROM orders GROUP BY status";
    let mut bare = shop();
    for table in &mut bare {
        let table = Arc::make_mut(table);
        table.comment = None;
        for column in &mut table.columns {
            column.comment = None;
        }
    }
    let annotated = crate::explain::explain(sql, &shop()).unwrap();
    let plain = crate::explain::explain(sql, &bare).unwrap();
    assert_eq!(annotated.len(), plain.len());
    assert_ne!(annotated, plain);
    let text: String = annotated
        .iter()
        .map(|step| step.explanation.as_str())
        .collect();
    assert!(text.contains("amount paid, with tax"), "{text}");
    let text: String = plain.iter().map(|step| step.explanation.as_str()).collect();
    assert!(!text.contains("amount paid"), "{text}");
}
