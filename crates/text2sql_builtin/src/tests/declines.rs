//! Questions that must not be answered: no guess is better than silence.

use super::{TODAY, company, declines, propose};
use text2sql_domain::proposal::Proposal;

#[test]
fn questions_without_a_certain_reading() {
    declines("What is the best product?");
    declines("Which customers are happy?");
    declines("Will sales go up next year?");
    declines("How are you?");
    declines("Tell me a joke");
    declines("What is the weather in Berlin?");
    declines("Who is the president of France?");
    declines("How many dogs are there?");
    declines("List the phone numbers of customers");
    declines("What is the age of each employee?");
    declines("Is our pricing fair?");
    declines("Why did orders fall in 2024?");
    declines("Predict the number of orders in 2027");
    declines("Which products should we discontinue?");
    declines("Show the favourite colour of customers");
    declines("How many transfers are there per store?");
    declines("How many orders in March?");
    declines("What is the name?");
    declines("List the name");
    declines("delete all customers");
    declines("drop table orders");
    declines("How much profit did we make?");
    declines("Which store is nicest?");
    declines("compare Germany and France");
    declines("How many customers and orders are there?");
    declines("Show the customers in Atlantis");
    declines("What is the total price of products per order?");
    declines("Thanks!");
    declines("");
    declines("hello");
    declines("What do you think of the stores?");
    declines("Show me everything");
    declines("What is the average?");
    declines("top 5 products");
    declines("What is the correlation between price and quantity?");
    declines("How many stores were active in 2024?");
    declines("Which customers live near Berlin?");
    declines("Show the orders that are late");
    declines("Which employees are underpaid?");
    declines("List the products nobody likes");
    declines("Who works in sales?");
    declines("Who is in turnover?");
}

#[test]
fn of_a_text_nothing_is_read() {
    let marks = format!("e{}", "\u{301}".repeat(8_000));
    // A shorter question would be refused with "custmers" named.
    let words = "How many custmers are there? ".repeat(100);
    for text in [marks, words] {
        match propose(&text, &company(), &[], TODAY) {
            Proposal::Unanswerable {
                reason, missing, ..
            } => {
                assert!(reason.ends_with("too short or too long"), "{reason}");
                assert!(missing.is_empty(), "{missing:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_refusal_names_the_missing_words_and_the_nearest_names() {
    match propose("How many custmers are there?", &company(), &[], TODAY) {
        Proposal::Unanswerable {
            missing, nearest, ..
        } => {
            assert_eq!(missing, ["custmers"]);
            assert_eq!(nearest.first().map(String::as_str), Some("customers"));
        }
        other => panic!("{other:?}"),
    }
}
