//! Questions that were once answered wrongly: right now, or declined.

use super::*;

#[test]
fn two_periods_never_make_an_empty_one() {
    declines("How many orders in the last week of July 2022?");
    declines("How many orders last month in 2024?");
    declines("How many orders today in 2024?");
    declines("How many orders in the last year in 2024?");
    declines("How many orders in 2023 and in 2024?");
    declines("How many orders last quarter in 2024?");
    declines("How many orders in the last 3 months of 2024?");
    declines("How many orders in the first month of 2024?");
    declines("How many orders in March 2024 in 2025?");
}

#[test]
fn no_word_of_grouping_is_dropped() {
    declines("top 3 products by price per category");
    declines("top 3 products by price for each category");
    declines("List the products by category");
    declines("orders by customer in Germany");
    declines("For each category, list the products");
    declines("which store has the most employees per country");
    // Rows that nothing asks to list are counted, for each of the groups.
    let sql = answer("orders per customer per year", &company());
    assert!(
        sql.contains("count(*)") && sql.contains("GROUP BY c.customer_id, c.name, extract(year"),
        "{sql}"
    );
}

#[test]
fn the_first_of_each_group_is_that_of_its_group() {
    for question in [
        "most expensive product per category",
        "the most expensive product in each category",
        "most expensive product for each category",
        "For each category, the most expensive product",
    ] {
        let sql = answer(question, &company());
        let first = "(c.category_id, p.unit_price) IN (SELECT c2.category_id, max(p2.unit_price)";
        assert!(sql.contains(first), "{question}: {sql}");
    }
    assert!(answer("cheapest product by category", &company()).contains("min(p2.unit_price)"));
}

#[test]
fn a_name_is_that_of_the_row() {
    declines("How many orders have the name John?");
    declines("Which customers are named John or Mary?");
    declines("Which customers are named John and named Mary?");
    declines("stores named Linz with city 'Linz' and city 'Graz'");
    declines("Which customers are from Berlin?");
}

#[test]
fn two_nouns_after_number_of_are_not_a_group() {
    declines("number of stores and employees");
    declines("number of products, categories");
    declines("How many stores and employees are there?");
    declines("count of customers and orders");
    declines("average price of products and stores");
}

#[test]
fn the_total_of_rows_is_no_list() {
    for question in [
        "What is the total of the orders of 2024?",
        "What is the total of orders?",
        "Show the total of the orders of 2024",
    ] {
        let proposal = propose(question, &company(), &[], TODAY);
        let is_list = matches!(&proposal, Proposal::Sql(answer) if !answer.sql.contains("sum("));
        assert!(!is_list, "{question}: {proposal:?}");
    }
}
