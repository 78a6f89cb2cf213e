//! Follow-ups as whole questions that the engine answers.

use super::*;
use crate::builtin::{follow_ups, goes_on};

/// The first whole question that the engine answers, or "-".
#[track_caller]
fn after(previous: &str, follow_up: &str, expect: &str) {
    let tables = company();
    let whole = follow_ups(previous, follow_up, &tables, &[], TODAY)
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
        assert!(goes_on(text), "{text}");
    }
    for text in [
        "How many orders are there?",
        "Andorra customers",
        "List all stores in Berlin",
    ] {
        assert!(!goes_on(text), "{text}");
    }
}
