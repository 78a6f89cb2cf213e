//! Questions that names and values alone show to have several readings, and their clear neighbours.

use expect_test::expect;

use super::*;
use crate::builtin::ambiguity;

fn doubts(question: &str, tables: &[Arc<Table>]) -> Option<(String, Vec<String>)> {
    ambiguity(question, tables, &[], TODAY)
}

#[track_caller]
fn asks_back(question: &str, expect: Expect) {
    let (back, readings) = doubts(question, &company()).unwrap_or_default();
    expect.assert_eq(&format!("{back}\n{}", readings.join("\n")));
}

#[track_caller]
fn is_clear(question: &str) {
    assert_eq!(doubts(question, &company()), None, "{question}");
}

#[test]
fn a_name_of_several_tables_is_asked_back() {
    asks_back(
        "Show the names",
        expect![[r#"
        which column is meant: country name or customer name or store name or product name?
        Show the country name
        Show the customer name
        Show the store name
        Show the product name"#]],
    );
    is_clear("Show the names of stores");
    is_clear("Show each product's name");
    is_clear("Rank stores by the names of their countries");
}

#[test]
fn a_period_of_several_dates_is_asked_back() {
    asks_back(
        "How many stores in 2024?",
        expect![[r#"
        stores has several dates: which one is meant?
        How many stores with opened on in 2024?
        How many stores with closed on in 2024?"#]],
    );
    is_clear("How many stores opened in 2024?");
    is_clear("How many orders in 2024?");
}

#[test]
fn two_ways_to_a_table_are_asked_back() {
    asks_back(
        "Number of orders by country",
        expect![[r#"
        orders and countries are connected in several ways: which one is meant?
        Number of orders by country of the customer
        Number of orders by country of the store"#]],
    );
    is_clear("Number of orders by country of the customer");
    is_clear("Number of customers by country");
}

#[test]
fn a_value_of_two_columns_is_asked_back() {
    let shop = [
        table(
            1,
            "people",
            "person_id int pk, home_city text [Berlin|Paris], work_city text [Berlin|Rome]",
        ),
        table(2, "offices", "office_id int pk, city text [Paris]"),
    ];
    let shop: Vec<Arc<Table>> = shop.into_iter().map(Arc::new).collect();
    let readings = |question: &str| doubts(question, &shop).map(|(_, readings)| readings);
    assert_eq!(
        readings("How many people are there in Berlin?"),
        Some(vec![
            "How many people are there in people home city 'Berlin'?".to_owned(),
            "How many people are there in people work city 'Berlin'?".to_owned(),
        ])
    );
    assert_eq!(
        readings("How many people are there with home city Berlin?"),
        None
    );
    assert_eq!(readings("How many people are there in Rome?"), None);
    assert_eq!(readings("How many offices are there in Paris?"), None);
}

#[test]
fn a_question_with_an_unknown_word_may_be_about_anything() {
    is_clear("Show the names of planets");
}
