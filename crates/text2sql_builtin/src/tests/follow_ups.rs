//! Follow-ups as whole questions that the engine answers.

use super::*;
use crate::{follow_ups, goes_on};

/// The first whole question that the engine answers, or "-".
#[track_caller]
fn after(previous: &str, follow_up: &str, expect: &str) {
    let tables = company();
    let whole = follow_ups(previous, &Understanding::of(follow_up, TODAY), &tables, &[])
        .into_iter()
        .find(|text| matches!(propose(text, &tables, &[], TODAY), Proposal::Sql(_)));
    assert_eq!(whole.as_deref().unwrap_or("-"), expect, "{follow_up}");
}

#[test]
fn a_grouping_is_added_or_takes_the_place_of_another() {
    let orders = "How many orders were placed in 2024?";
    after(
        orders,
        "and by month?",
        "How many orders were placed in 2024 by month",
    );
    after(
        orders,
        "per store",
        "How many orders were placed in 2024 per store",
    );
    after(
        "Number of orders by month",
        "now by store",
        "Number of orders by store",
    );
    after(
        "Wie viele orders gibt es?",
        "und je store?",
        "Wie viele orders gibt es je store",
    );
}

#[test]
fn a_period_is_added_or_takes_the_place_of_another() {
    let orders = "How many orders were placed in 2024?";
    after(
        orders,
        "and in 2023?",
        "How many orders were placed in 2023",
    );
    after(
        orders,
        "What about last year?",
        "How many orders were placed in last year",
    );
    after(
        orders,
        "since March 2025",
        "How many orders were placed since March 2025",
    );
    after(
        "Number of orders by month",
        "only 2025",
        "Number of orders by month in 2025",
    );
}

#[test]
fn a_value_is_added_or_takes_the_place_of_another() {
    after(
        "How many customers are in Germany?",
        "and in France?",
        "How many customers are in France",
    );
    after(
        "How many customers are there?",
        "only in Austria",
        "How many customers are there in Austria",
    );
    after(
        "How many stores are in Berlin?",
        "and Paris?",
        "How many stores are in Paris",
    );
}

#[test]
fn a_correction_takes_the_place_of_what_it_corrects() {
    after(
        "How many customers are in Germany?",
        "no, I meant France",
        "How many customers are in France",
    );
    after(
        "How many orders were placed in 2024?",
        "and how many stores are there?",
        "how many stores are there",
    );
}

#[test]
fn a_grouping_may_be_asked_for_in_many_words_and_taken_away() {
    let orders = "How many orders were placed in 2024?";
    let by_month = "How many orders were placed in 2024 by month";
    for text in [
        "Break it down by month",
        "split that by month, please",
        "Can you group them by month?",
        "grouped by month",
        "the same by month",
    ] {
        after(orders, text, by_month);
    }
    after(
        "Number of orders by month",
        "and in total?",
        "Number of orders",
    );
    // Other parts of the question stay.
    let filtered = "Number of orders by month in 2024";
    after(filtered, "and in total?", "Number of orders in 2024");
    after(
        filtered,
        "now by store",
        "Number of orders by store in 2024",
    );
    after(
        "Wie viele orders gibt es?",
        "aufgeschlüsselt nach store",
        "Wie viele orders gibt es nach store",
    );
}

#[test]
fn the_same_is_asked_of_another_table() {
    after(
        "How many customers are there in Germany?",
        "the same for stores",
        "How many stores are there in Germany",
    );
    after(
        "How many stores are there?",
        "and products?",
        "How many products are there",
    );
    after(
        "Wie viele stores gibt es?",
        "und products?",
        "Wie viele products gibt es",
    );
    // What is grouped by is not what is counted.
    after(
        "Number of orders per store",
        "the same for customers",
        "Number of customers per store",
    );
    after("Which stores are in Berlin?", "and planets?", "-");
}

#[test]
fn another_figure_is_asked_for() {
    after(
        "What is the average price of products?",
        "and the highest?",
        "What is the highest price of products",
    );
    after(
        "What is the highest salary of employees?",
        "And the average salary?",
        "What is the average salary of employees",
    );
    after(
        "How many orders were placed in 2024?",
        "and the average total?",
        "What is the average total of orders placed in 2024",
    );
    after(
        "What is the maximum salary of employees by store?",
        "and the minimum?",
        "What is the minimum salary of employees by store",
    );
    // An average of what?
    after(
        "How many orders were placed in 2024?",
        "and the average?",
        "-",
    );
    after(
        "How many employees does each store have?",
        "and the average salary?",
        "-",
    );
}

#[test]
fn a_part_of_the_rows_is_asked_for() {
    after(
        "Which stores are in Germany?",
        "how many of them are in Berlin?",
        "how many stores in Germany are in Berlin",
    );
    after(
        "How many orders were placed in 2024?",
        "Which of those are cancelled?",
        "Which orders placed in 2024 are cancelled",
    );
    after(
        "How many orders were placed in 2024?",
        "only the cancelled ones",
        "How many cancelled orders were placed in 2024",
    );
    after(
        "How many customers are there?",
        "only those in Germany",
        "How many customers are there in Germany",
    );
    // The first of an order are not all rows.
    after(
        "Show the 3 most expensive products",
        "how many of them are Tents?",
        "-",
    );
    after(
        "Number of orders per store",
        "how many of them are cancelled?",
        "-",
    );
}

#[test]
fn the_first_of_the_rows_and_what_they_are_called_is_asked_for() {
    after(
        "How many products are in the category Tents?",
        "and the three most expensive?",
        "Show the three most expensive products in the category Tents",
    );
    after(
        "Which stores are in Germany?",
        "and their cities?",
        "List the cities of stores in Germany",
    );
    after("Number of orders per store", "and their cities?", "-");
}

#[test]
fn what_no_rule_joins_stays_unanswered() {
    after("How many orders were placed in 2024?", "why so few?", "-");
    after(
        "How many customers are there?",
        "and their shoe sizes?",
        "-",
    );
}

#[test]
fn follow_ups_are_known_by_their_words() {
    for text in [
        "and by month?",
        "Only for Germany",
        "why so few?",
        "Und letztes Jahr?",
        "by store",
        "what about France?",
    ] {
        assert!(goes_on(&Understanding::of(text, TODAY)), "{text}");
    }
    for text in [
        "How many orders are there?",
        "Andorra customers",
        "List all stores in Berlin",
    ] {
        assert!(!goes_on(&Understanding::of(text, TODAY)), "{text}");
    }
}
