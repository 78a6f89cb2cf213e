//! Sentences and notes that go with an answer.

use expect_test::expect;

use super::says;

#[test]
fn sentences_hold_placeholders_and_notes_name_links() {
    says(
        "How many orders were placed in March 2025?",
        expect![[r#"
            There are {rows[0].orders} orders placed in March 2025.
            the period is orders.ordered_on from 2025-03-01 to 2025-03-31"#]],
    );
    says(
        "List the stores in Germany",
        expect![[r#"
            There are {row_count} stores in Germany.
            'Germany' is countries.name"#]],
    );
    says(
        "Which five countries have the most customers?",
        expect![[r#"
            {rows[0].country} leads with {rows[0].customers} customers.
        "#]],
    );
    says(
        "Top 10 products by quantity sold",
        expect![[r#"
            {rows[0].product} leads: total quantity {rows[0].total_quantity}.
        "#]],
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
            There are {row_count} customers with no orders.
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
            It is {rows[0].store}.
            'store' is table stores"#]],
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
