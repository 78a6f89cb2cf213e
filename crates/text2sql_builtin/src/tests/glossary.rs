//! Business terms and synonyms of tables and columns.

use std::sync::Arc;

use expect_test::expect_file;

use super::{TODAY, company, propose};
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, DefinitionJoin, Table, TableName};

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
        ..Definition::default()
    }
}

#[test]
fn terms_and_synonyms() {
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
    golden_text::check(
        &expect_file!["golden/glossary.txt"],
        |question| match propose(question, &house(), &definitions, TODAY) {
            Proposal::Sql(proposal) => format!("{}\n{}", proposal.sql, proposal.links.join("\n")),
            other => format!("{other:?}"),
        },
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
        "the built-in engine does not understand \"dragons\""
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

/// A definition over orders, their customers and the countries of these.
fn over_three_tables(term: &str, expression: &str) -> Definition {
    let step = |from: (u32, &str), to: (u32, &str), column: &str| {
        let name = |(oid, name): (u32, &str)| TableName {
            oid,
            schema: "public".to_owned(),
            name: name.to_owned(),
            is_visible: false,
        };
        DefinitionJoin {
            from: name(from),
            to: name(to),
            columns: vec![(column.to_owned(), column.to_owned())],
        }
    };
    Definition {
        joins: vec![
            step((4, "orders"), (2, "customers"), "customer_id"),
            step((2, "customers"), (1, "countries"), "country_code"),
        ],
        ..definition(term, expression, 4)
    }
}

#[test]
fn a_term_over_several_tables_brings_its_joins() {
    let definitions = [
        over_three_tables(
            "German revenue",
            "sum(orders.total) FILTER (WHERE public.countries.name = 'Germany')",
        ),
        over_three_tables("export order", "countries.name <> 'Germany'"),
        over_three_tables("weighted total", "total * credit_limit"),
    ];
    golden_text::check(
        &expect_file!["golden/joined_terms.txt"],
        |question| match propose(question, &house(), &definitions, TODAY) {
            Proposal::Sql(proposal) => format!("{}\n{}", proposal.sql, proposal.links.join("\n")),
            other => format!("{other:?}"),
        },
    );
    // If one of its tables is missing, the term does not exist.
    let tables: Vec<Arc<Table>> = house().into_iter().filter(|table| table.oid != 1).collect();
    let declined = propose("What is the German revenue?", &tables, &definitions, TODAY);
    assert!(!matches!(declined, Proposal::Sql(_)), "{declined:?}");
}
