//! Verbs: those that are values, those that are left alone, and who did it.

use super::*;

/// Products with reviews, and orders with a status that is called as a verb is.
fn shop() -> Vec<Arc<Table>> {
    let mut tables = company();
    tables.retain(|table| table.name != "orders");
    let mut sales = table(
        4,
        "orders",
        "order_id int pk, customer_id int > customers, ordered_on date, status enum [open|paid|completed], total num",
    );
    sales.columns[3].statistics = None;
    let parcels = table(
        50,
        "parcels",
        "parcel_id int pk, order_id int > orders, sold bool, packed_on date",
    );
    let reviews = table(
        51,
        "reviews",
        "review_id int pk, customer_id int > customers, product_id int > products, rating int",
    );
    tables.extend([sales, parcels, reviews].map(Arc::new));
    tables
}

fn shop_answer(question: &str) -> String {
    answer(question, &shop())
}

#[test]
fn a_verb_that_is_a_value_is_the_value() {
    for (question, status) in [
        ("How many orders are paid?", "paid"),
        ("How many orders were paid?", "paid"),
        ("How many orders have been completed?", "completed"),
        ("How many orders that are completed are there?", "completed"),
    ] {
        assert_eq!(
            shop_answer(question),
            format!("SELECT count(*) AS orders\nFROM orders AS o\nWHERE o.status = '{status}'"),
            "{question}"
        );
    }
    assert_eq!(
        shop_answer("How many parcels are sold?"),
        "SELECT count(*) AS parcels\nFROM parcels AS p\nWHERE p.sold"
    );
    for question in [
        "How many orders were paid in 2025?",
        "How many parcels were sold in 2025?",
    ] {
        assert!(!shop_answer(question).starts_with("SELECT"), "{question}");
    }
}

#[test]
fn a_verb_that_is_left_alone_is_not_dropped() {
    for (question, _) in [
        ("How many orders are completed?", "completed"),
        ("How many orders are paid?", "paid"),
        ("How many orders were completed by month?", "completed"),
    ] {
        match propose(question, &company(), &[], TODAY) {
            Proposal::Unanswerable { .. } => {}
            other => panic!("{question}: {other:?}"),
        }
    }
    for question in [
        "How many orders were placed?",
        "How many orders were made?",
        "How many orders exist?",
        "How many orders are there?",
        "How many orders are stored in the database?",
        "How many orders were placed by month?",
        "What is the total quantity sold?",
    ] {
        let answer = propose(question, &company(), &[], TODAY);
        assert!(matches!(answer, Proposal::Sql(_)), "{question}: {answer:?}");
    }
}

#[test]
fn who_did_it_is_no_group() {
    for question in [
        "How many reviews were written by customers from Austria?",
        "How many reviews written by customers from Austria?",
        "How many reviews were written by customers?",
        "How many orders were placed by customers?",
        "How many orders placed by customers from Austria?",
        "How many orders were placed by customers from Austria?",
    ] {
        let answer = shop_answer(question);
        assert!(!answer.contains("GROUP BY"), "{question}: {answer}");
    }
    assert!(shop_answer("How many orders were placed by month?").contains("GROUP BY"));
}
