//! Sentences and notes that go with an answer.

use std::sync::Arc;

use expect_test::expect;

use super::{TODAY, company, propose, says, table};
use text2sql_domain::proposal::Proposal;

#[test]
fn sentences_hold_placeholders_and_notes_name_links() {
    says(
        "How many orders were placed in March 2025?",
        expect![[r#"
            The number of orders placed in March 2025 is {rows[0].orders}.
            the period is orders.ordered_on from 2025-03-01 to 2025-03-31"#]],
    );
    says(
        "List the stores in Germany",
        expect![[r#"
            The number of stores in Germany is {row_count}.
            'Germany' is countries.name"#]],
    );
    says(
        "Which five countries have the most customers?",
        expect![[r#"
            {rows[0].country} is the first row, with {rows[0].customers} customers; others may be equal.
            ties are possible: rows equal to the last one may be left out"#]],
    );
    says(
        "Top 10 products by quantity sold",
        expect![[r#"
            {rows[0].product} is the first row: total quantity {rows[0].total_quantity}; others may be equal.
            ties are possible: rows equal to the last one may be left out"#]],
    );
    says(
        "What is the average price of products per category?",
        expect![[r#"
            Average unit price by category: {row_count} rows.
            'price' is products.unit_price"#]],
    );
    says(
        "Which customers have no orders?",
        expect![[r#"
            The number of customers with no orders is {row_count}.
        "#]],
    );
    says(
        "What are the minimum and maximum salary of employees?",
        expect![[r#"
            Minimum salary: {rows[0].minimum_salary}, maximum salary: {rows[0].maximum_salary}.
        "#]],
    );
    says(
        "Which store has the most employees?",
        expect![[r#"
            {rows[0].store} is the first row; others may be equal.
            'store' is table stores
            ties are possible: only the first of them is shown"#]],
    );
    says(
        "What is the average salary of employees?",
        expect![[r#"
            The average salary is {rows[0].average_salary}.
        "#]],
    );
    says(
        "Number of orders by status",
        expect![[r#"
            Number of orders by status: {row_count} rows.
        "#]],
    );
}

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
