//! Which stored values a question is linked to: those that its words mean, in the columns that it speaks of.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use port_contracts::memory_index::MemoryIndex;
use text2sql_domain::ports::search_index::SearchIndex;
use text2sql_domain::schema::{Column, ColumnStatistics, ForeignKey, Table, TypeCategory};
use text2sql_language::terms::Analyzer;
use text2sql_language::understanding::Understanding;
use text2sql_retrieval::values::{Phrases, Scene, choose};

/// A table with text columns and their values.
fn table(oid: u32, name: &str, columns: &[(&str, f64, &[&str])]) -> (Table, Vec<(i16, String)>) {
    let mut values = Vec::new();
    let columns = columns
        .iter()
        .zip(1..)
        .map(|((name, distinct, known), number)| {
            values.extend(known.iter().map(|value| (number, (*value).to_owned())));
            Column {
                number,
                name: (*name).to_owned(),
                category: TypeCategory::Text,
                statistics: Some(ColumnStatistics {
                    distinct_values: Some(*distinct),
                    ..ColumnStatistics::default()
                }),
                ..Column::default()
            }
        });
    let table = Table {
        oid,
        name: name.to_owned(),
        is_visible: true,
        columns: columns.collect(),
        ..Table::default()
    };
    (table, values)
}

/// The links of a question, as `phrase: table.column = value`.
fn links(question: &str) -> Vec<String> {
    let mut orders = table(
        1,
        "orders",
        &[
            ("status", 3.0, &["check", "paid", "open"]),
            ("rating", 5.0, &["1", "5"]),
            ("remark", 900.0, &["average", "Total", "le"]),
        ],
    );
    orders.0.foreign_keys.push(ForeignKey {
        columns: vec!["customer_id".to_owned()],
        target: 2,
        ..ForeignKey::default()
    });
    let tables = [
        orders,
        table(
            2,
            "customers",
            &[
                ("name", 900.0, &["Price", "Customers", "Anna Berg"]),
                ("country_code", 30.0, &["DE", "AT"]),
            ],
        ),
        table(
            3,
            "suppliers",
            &[
                ("country_code", 30.0, &["DE"]),
                ("name", 900.0, &["Der Spiegel"]),
            ],
        ),
        table(4, "lakes", &[("name", 900.0, &["Lake Erie", "Price"])]),
        table(5, "users", &[("user_id", 900.0, &["5", "2024"])]),
        table(6, "marks", &[("grade", 9.0, &["A", "A+", "A-"])]),
        table(7, "albums", &[("title", 900.0, &["Ten", "Wirth", "Still"])]),
    ];
    let mut index = MemoryIndex::new(Analyzer::default());
    for (table, values) in &tables {
        for (column, value) in values {
            index.add_value(table.oid, *column, value);
        }
    }
    let tables: Vec<Arc<Table>> = tables
        .into_iter()
        .map(|(table, _)| Arc::new(table))
        .collect();
    let analyzer = Analyzer::default();
    let understanding = Understanding::of(question, "2026-11-21");
    let phrases = Phrases::of(&understanding, &analyzer);
    let hits = index.values(&phrases.wanted, 8).unwrap();
    let scene = Scene::new(&understanding, &tables, &[], &analyzer);
    let chosen = choose(&phrases, &hits, &scene);
    let shown = chosen.iter().map(|hit| {
        let table = tables.iter().find(|table| table.oid == hit.table).unwrap();
        let column = table
            .columns
            .iter()
            .find(|column| column.number == hit.column)
            .unwrap();
        format!("{}.{} = {}", table.name, column.name, hit.value)
    });
    shown.collect()
}

#[test]
fn function_words_of_the_language_mean_no_value() {
    assert!(links("Quel est le nombre de commandes de la semaine ?").is_empty());
    assert!(links("Cuántos pedidos de clientes hay").is_empty());
    assert!(links("Wie viele Bestellungen hat der Spiegelhändler?").is_empty());
}

#[test]
fn general_words_numbers_and_names_mean_none_by_themselves() {
    for question in [
        "What is the average total of orders?",
        "Check the names of customers",
        "The 5 best customers of 2024",
        "How many customers are there?",
    ] {
        assert_eq!(links(question), Vec::<String>::new(), "{question}");
    }
}

#[test]
fn beside_the_word_for_their_column_they_do() {
    assert_eq!(links("orders with status check"), ["orders.status = check"]);
    assert_eq!(links("orders with a rating of 5"), ["orders.rating = 5"]);
    assert_eq!(
        links("orders with the remark 'average'"),
        ["orders.remark = average"]
    );
}

#[test]
fn the_column_of_the_table_in_question_comes_first() {
    assert_eq!(
        links("How many customers are in DE?"),
        ["customers.country_code = DE"]
    );
    assert_eq!(links("suppliers from DE"), ["suppliers.country_code = DE"]);
    // What the question does not decide stays open.
    assert_eq!(links("everything of DE").len(), 2);
    // The value is taken from the table that orders reference.
    assert_eq!(links("orders of Anna Berg"), ["customers.name = Anna Berg"]);
    assert_eq!(links("which orders are paid"), ["orders.status = paid"]);
}

#[test]
fn capital_letters_mark_names_where_nouns_have_none() {
    // The value of the table that orders reference comes first.
    assert_eq!(
        links("orders of Price in Berlin"),
        ["customers.name = Price", "lakes.name = Price"]
    );
    assert!(links("the price of orders in Berlin").is_empty());
}

#[test]
fn a_grade_is_none_of_another_sign() {
    assert_eq!(links("marks of A+ in spring"), ["marks.grade = A+"]);
    assert_eq!(links("How many A- marks?"), ["marks.grade = A-"]);
    assert_eq!(links("marks of A in spring"), ["marks.grade = A"]);
}

#[test]
fn a_word_in_small_letters_is_no_name_that_is_like_it() {
    assert!(links("Which albums have more than ten songs?").is_empty());
    assert!(links("albums that are still worth a lot").is_empty());
    assert_eq!(links("the album titled Ten"), ["albums.title = Ten"]);
}
