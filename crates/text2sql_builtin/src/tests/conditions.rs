//! Conditions that are more than one comparison.

use std::sync::Arc;

use super::{answer, declines, tables};
use text2sql_domain::schema::TypeCategory;

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
fn no_value_is_not_another_value() {
    declines("How many stores do not have city Berlin?");
    declines("How many stores have no city Berlin?");
    declines("Wie viele stores haben keine city Berlin?");
}

#[test]
fn a_word_of_its_own_is_no_abbreviation() {
    let mut tables = tables("1 trip_log: trip_id int pk, tip num");
    let tables: Vec<_> = tables.drain(..).map(Arc::new).collect();
    let found = answer("What is the total of trips?", &tables);
    assert!(!found.starts_with("SELECT"), "{found}");
}

#[test]
fn rows_without_the_value_are_not_left_out_in_silence() {
    let mut tables =
        tables("1 workers: worker_id int pk, town text null [Graz|Linz], tags text, fee num");
    for column in tables.iter_mut().flat_map(|table| &mut table.columns) {
        match column.name.as_str() {
            "town" => column.statistics.as_mut().unwrap().null_share = 0.25,
            "tags" => column.category = TypeCategory::Array,
            "fee" => column.comment = Some("in euro cents".to_owned()),
            _ => {}
        }
    }
    let tables: Vec<_> = tables.drain(..).map(Arc::new).collect();
    for question in [
        "How many workers whose town is not Graz?",
        "How many workers have no tags?",
        "How many workers with fee over 2 euros?",
    ] {
        let found = answer(question, &tables);
        assert!(!found.starts_with("SELECT"), "{question}: {found}");
    }
}

#[test]
fn superlatives() {
    declines("the most recent transfers");
}

#[test]
fn shares_columns_and_arithmetic() {
    declines("What percentage of active customers are in Germany and have orders?");
}
