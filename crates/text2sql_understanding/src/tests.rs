//! Questions over an invented shop, each with its statement, or with the reason for which there is none.

use crate::{Understood, understand};
use text2sql_domain::schema_fixture::shop;
use text2sql_language::understanding::Understanding;

const TODAY: &str = "2026-01-15";

fn understood(question: &str) -> Understood {
    understand(&Understanding::of(question, TODAY), &shop(), &[])
}

fn means(question: &str, sql: &str) {
    match understood(question) {
        Understood::Meaning(_, proposal) => {
            assert_eq!(proposal.sql.replace('\n', " "), sql, "{question}")
        }
        nothing => panic!("{question}: {nothing:?}"),
    }
}

fn declines(question: &str) {
    let understood = understood(question);
    assert!(
        matches!(understood, Understood::Nothing { .. }),
        "{question}: {understood:?}"
    );
}

#[test]
fn business_words_are_found_in_any_order() {
    let revenue = "SELECT sum(o.total) AS revenue FROM orders AS o \
                   WHERE o.ordered_at >= '2025-01-01' AND o.ordered_at < '2026-01-01'";
    means("What was our revenue in 2025?", revenue);
    means("2025 turnover please", revenue);
    means("Wie hoch war der Umsatz im Jahr 2025?", revenue);
}

#[test]
fn groups_are_things_columns_and_parts_of_dates() {
    means(
        "sales by country 2025",
        "SELECT c2.name, sum(o.total) AS revenue FROM orders AS o \
         JOIN customers AS c ON c.customer_id = o.customer_id \
         JOIN countries AS c2 ON c2.country_id = c.country_id \
         WHERE o.ordered_at >= '2025-01-01' AND o.ordered_at < '2026-01-01' \
         GROUP BY c2.country_id, c2.name ORDER BY c2.name",
    );
    means(
        "Umsatz pro Monat",
        "SELECT date_trunc('month', o.ordered_at)::date AS month, sum(o.total) AS revenue FROM orders AS o \
         GROUP BY date_trunc('month', o.ordered_at)::date ORDER BY date_trunc('month', o.ordered_at)::date",
    );
}

#[test]
fn what_did_not_happen_is_asked_of_each_thing() {
    means(
        "How many customers have never ordered anything?",
        "SELECT count(*) AS customer_count FROM customers AS c \
         WHERE NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.customer_id = c.customer_id)",
    );
    means(
        "Welche Kunden haben keine E-Mail?",
        "SELECT c.name FROM customers AS c WHERE c.email IS NULL",
    );
}

#[test]
fn a_negated_value_is_not_a_missing_one() {
    let sql =
        "SELECT count(*) AS product_count FROM products AS p WHERE p.color IS DISTINCT FROM 'red'";
    means("How many products do not have color red?", sql);
    means("How many products without color red?", sql);
    means("How many products whose color is not red?", sql);
}

#[test]
fn words_that_are_not_explained_are_no_answer() {
    declines("What was our profit in 2025?");
    declines("Who are our best customers?");
    declines("How many customers complained?");
    declines("What will our revenue be next year?");
    declines("How many customers in 2024?");
}

#[test]
fn the_words_that_were_not_understood_are_named() {
    let Understood::Nothing { missing, .. } = understood("How many customers complained?") else {
        panic!("understood");
    };
    assert_eq!(missing, ["complained"]);
}

#[test]
fn several_questions_have_no_common_statement() {
    declines("How many orders are there? How many customers are there?");
    declines("How many orders were placed in 2025 and how many customers are there?");
    declines("Wie viele Bestellungen und wie viele Kunden gibt es?");
}
