//! Conditions that are more than one comparison.

use std::sync::Arc;

use super::{answer, declines, tables};

#[test]
fn both_and_but_not() {
    declines("Which orders are both open and shipped?");
}

#[test]
fn aggregates_of_all_rows_and_of_related_rows() {
    declines("Which employees have a salary above the average salary of the employees in Berlin?");
}

#[test]
fn a_word_of_its_own_is_no_abbreviation() {
    let mut tables = tables("1 trip_log: trip_id int pk, tip num");
    let tables: Vec<_> = tables.drain(..).map(Arc::new).collect();
    let found = answer("What is the total of trips?", &tables);
    assert!(!found.starts_with("SELECT"), "{found}");
}

#[test]
fn superlatives() {
    declines("the most recent transfers");
}

#[test]
fn shares_columns_and_arithmetic() {
    declines("What percentage of active customers are in Germany and have orders?");
}
