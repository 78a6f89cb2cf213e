//! Sentences and notes that go with an answer.

use std::sync::Arc;

use super::{TODAY, company, propose, table};
use text2sql_domain::proposal::Proposal;

#[test]
fn rows_are_called_as_the_question_calls_them() {
    let tables = [Arc::new(table(
        31,
        "rental_film",
        "film_id int pk, title text, released_on date",
    ))];
    let said = |question: &str| match propose(question, &tables, &[], TODAY) {
        Proposal::Sql(proposal) => proposal.sentence.unwrap_or_default(),
        other => format!("{other:?}"),
    };
    assert_eq!(
        said("How many rental films are there?"),
        "The number of rental films is {rows[0].rental_film}."
    );
    assert_eq!(
        said("List the rental films released in 2024"),
        "The number of rental films released in 2024 is {row_count}."
    );
}

#[test]
fn to_date_needs_no_column_of_that_name() {
    for question in [
        "How many orders were placed year to date?",
        "How many orders in the year to date?",
        "How many orders year to date?",
        "How many orders quarter to date?",
    ] {
        let Proposal::Sql(proposal) = propose(question, &company(), &[], TODAY) else {
            panic!("{question} is declined");
        };
        assert!(
            proposal.sql.contains("o.ordered_on >="),
            "{question}: {}",
            proposal.sql
        );
    }
}
