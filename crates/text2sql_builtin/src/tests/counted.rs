//! Superlatives over filtered rows, bare measures, and words with two links.

use super::declines;

#[test]
fn rows_of_which_something_is_said_are_counted() {
    // A country without any would be the first of them, and is in no group.
    declines("Which country has the fewest active customers?");
    // A column before a noun is not a measure.
    declines("Which customer has the most ordered orders?");
    declines("Which store has the most opened stores?");
}

#[test]
fn different_values_are_not_ranked_by_what_is_not_shown() {
    declines("Which job title has the most salary?");
    declines("Which status has the latest order date?");
}

#[test]
fn a_verb_that_is_the_root_of_a_table_speaks_of_its_rows() {
    // Orders may have a store, and no store orders.
    declines("How many stores ordered in 2025?");
    declines("Show the names of customers ordered in 2025");
}

#[test]
fn a_date_of_creation_does_not_say_when_something_was_there() {
    declines("How many customers were there in 2024?");
}
