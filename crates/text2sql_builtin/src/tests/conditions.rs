//! Conditions that are more than one comparison.

use super::declines;

#[test]
fn alternatives() {
    declines("Which customers are in Germany and have a credit limit over 100 or under 50?");
}

#[test]
fn both_and_but_not() {
    declines("Which orders are both open and shipped?");
}

#[test]
fn aggregates_of_all_rows_and_of_related_rows() {
    declines("Which employees have a salary above the average salary of the employees in Berlin?");
}

#[test]
fn superlatives() {
    declines("the most recent transfers");
}

#[test]
fn shares_columns_and_arithmetic() {
    declines("What percentage of active customers are in Germany and have orders?");
}
