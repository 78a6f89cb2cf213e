//! Questions that are replayed, and questions that must not be.

use super::ColumnName;
use text2sql_domain::ports::search_index::Example;
use text2sql_language::understanding::Understanding;

fn replay(example: &Example, question: &str, known: &super::KnownValue<'_>) -> Option<String> {
    super::replay(example, &Understanding::of(question, "2026-11-21"), known)
}

fn example(question: &str, sql: &str) -> Example {
    Example {
        question: question.to_owned(),
        sql: sql.to_owned(),
        verified_by: "ann".to_owned(),
        ..Example::default()
    }
}

/// A column with three countries.
fn known(column: &ColumnName, text: &str) -> Option<String> {
    let countries = ["Germany", "France", "Costa Rica"];
    let found = countries
        .iter()
        .find(|country| country.to_lowercase() == text.to_lowercase())?;
    (column.name == "name").then(|| (*found).to_owned())
}

fn from_germany() -> Example {
    example(
        "How many customers from Germany have more than 5 orders?",
        "SELECT count(*) FROM customers AS c JOIN countries AS k USING (country_id) WHERE k.name = 'Germany' AND c.orders > 5",
    )
}

#[test]
fn the_same_question_is_replayed_in_any_formatting() {
    let example = from_germany();
    for question in [
        "How many customers from Germany have more than 5 orders?",
        "how many customers from germany have more than 5 orders",
        "How many customers  from “Germany” have more than 5 orders!",
    ] {
        let sql = replay(&example, question, &known);
        assert_eq!(sql.as_deref(), Some(example.sql.as_str()), "{question}");
    }
}

#[test]
fn literals_change_where_the_example_has_them() {
    let sql = replay(
        &from_germany(),
        "How many customers from costa rica have more than 12 orders?",
        &known,
    )
    .expect("a replay");
    assert!(
        sql.contains("k.name = 'Costa Rica'") && sql.ends_with("c.orders > 12"),
        "{sql}"
    );
}

#[test]
fn other_questions_are_not_replayed() {
    let example = from_germany();
    for question in [
        "How many customers from Spain have more than 5 orders?",
        "How many customers from Germany and France have more than 5 orders?",
        "How many customers from Germany have more than 5 open orders?",
        "How many customers from Germany have less than 5 orders?",
        "How many customers from Germany have more than five orders?",
        "How many customers from Germany have more than 5 orders this year?",
        "How many customers not from Germany have more than 5 orders?",
        "How many customers from Germany have more than 5.5 orders?",
        "How many customers from Germany have more than -5 orders?",
        "How many customers from Germany have more than 5% orders?",
        "customers from Germany",
        "",
    ] {
        assert_eq!(replay(&example, question, &known), None, "{question}");
    }
}

#[test]
fn an_ambiguous_literal_is_not_replaced() {
    let example = example(
        "Which 5 customers have more than 5 orders?",
        "SELECT name FROM customers WHERE orders > 5 ORDER BY orders LIMIT 5",
    );
    assert!(
        replay(
            &example,
            "Which 5 customers have more than 5 orders?",
            &known
        )
        .is_some()
    );
    assert_eq!(
        replay(
            &example,
            "Which 3 customers have more than 5 orders?",
            &known
        ),
        None
    );
}

#[test]
fn relative_dates_are_not_replayed() {
    let dated = example(
        "How many orders came in last month?",
        "SELECT count(*) FROM orders WHERE ordered_on >= '2026-10-01' AND ordered_on < '2026-11-01'",
    );
    assert_eq!(replay(&dated, &dated.question, &known), None);
    let live = example(
        "How many orders came in last month?",
        "SELECT count(*) FROM orders WHERE ordered_on >= date_trunc('month', now()) - INTERVAL '1 month' AND ordered_on < date_trunc('month', now())",
    );
    assert!(replay(&live, &live.question, &known).is_some());
}

#[test]
fn a_row_limit_stays_a_whole_number_and_patterns_stay_as_they_are() {
    let top = example(
        "Show the top 10 customers",
        "SELECT name FROM customers ORDER BY revenue DESC LIMIT 10",
    );
    let sql = replay(&top, "Show the top 3 customers", &known).expect("a replay");
    assert!(sql.ends_with("LIMIT 3"));
    assert_eq!(replay(&top, "Show the top 2.5 customers", &known), None);
    let pattern = example(
        "Customers called smith",
        "SELECT name FROM customers WHERE name ILIKE 'smith'",
    );
    assert_eq!(replay(&pattern, "Customers called jones", &known), None);
}

#[test]
fn a_new_text_cannot_break_out_of_its_literal() {
    let hostile = |_: &ColumnName, text: &str| Some(text.to_owned());
    let example = example(
        "Customers in Germany",
        "SELECT name FROM customers WHERE country = 'Germany'",
    );
    let sql = replay(&example, "Customers in x' OR 'a' = 'a", &hostile);
    assert_eq!(
        sql.as_deref(),
        Some("SELECT name FROM customers WHERE country = 'x OR a = a'"),
    );
}
