//! Superlatives over filtered rows, bare measures, and words with two links.

use super::declines;

#[test]
fn different_values_are_not_ranked_by_what_is_not_shown() {
    declines("Which job title has the most salary?");
    declines("Which status has the latest order date?");
}

#[test]
fn a_date_of_creation_does_not_say_when_something_was_there() {
    declines("How many customers were there in 2024?");
}
