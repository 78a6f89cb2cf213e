//! True sentences pass, planted mistakes do not.

use serde_json::value::RawValue;

use super::is_supported;
use crate::understanding::Understanding;
use text2sql_domain::sql_result::{Cell, ResultColumn};

fn asked(question: &str) -> Understanding {
    Understanding::of(question, "2026-11-21")
}

const QUESTION: &str = "How many customers does each country have, and what is the revenue?";

fn cell(text: &str) -> Cell {
    let json = serde_json::to_string(text).expect("a text");
    Cell {
        text: Some(text.to_owned()),
        json: RawValue::from_string(json).expect("JSON"),
    }
}

fn columns() -> Vec<ResultColumn> {
    ["country", "customers", "revenue"]
        .map(|name| ResultColumn {
            name: name.to_owned(),
            type_name: "text".to_owned(),
        })
        .to_vec()
}

fn rows() -> Vec<Vec<Cell>> {
    [
        ["Germany", "412", "98231.50"],
        ["France", "206", "55210.25"],
        ["Costa Rica", "37", "7411.00"],
        ["Rica", "29", "6310.75"],
    ]
    .map(|row| row.map(cell).to_vec())
    .to_vec()
}

fn passes(sentence: &str) -> bool {
    is_supported(sentence, &asked(QUESTION), &columns(), &rows(), false)
}

#[test]
fn true_sentences_pass() {
    for sentence in [
        "Germany leads with 412 customers.",
        "Germany has 412 customers and France 206.",
        "There are 4 countries; Germany leads with 412 customers.",
        "All four countries together have 684 customers.",
        "Germany has 206 more customers than France.",
        "Germany has twice as many customers as France.",
        "Germany's 412 customers are 60 % of all.",
        "Germany makes a revenue of 98,231.50, France 55,210.",
        "Germany macht einen Umsatz von 98.231,50."
            .replace("Umsatz", "revenue")
            .as_str(),
        "Costa Rica has 37 customers.",
        "412 customers are in Germany, 206 in France.",
        "Rica comes last with 29.",
        "The revenue goes from 98 thousand down to 6,310.75.",
        "Germany and France have 618 customers between them.",
    ] {
        assert!(passes(sentence), "{sentence}");
    }
}

#[test]
fn a_hundred_planted_numbers_do_not_pass() {
    let templates = [
        "Germany leads with {} customers.",
        "There are {} countries in all.",
        "France has {} customers.",
        "Costa Rica makes {} in revenue.",
        "Together they have {} customers.",
        "Germany has {} % of all customers.",
        "Germany has {} more customers than France.",
        "The revenue of Rica is {}.",
        "France: {} customers, Germany 412.",
        "Germany has {} times the customers of France.",
    ];
    // Near misses, other rows' cells, digits turned round, other scales, words, other scripts.
    let wrong = [
        "411",
        "37",
        "421",
        "4.12 million",
        "seven",
        "53.7",
        "684.5",
        "9,823",
        "½",
        "98,231.60",
    ];
    let mut planted = 0;
    for template in templates {
        for number in wrong {
            let sentence = template.replace("{}", number);
            assert!(!passes(&sentence), "{sentence}");
            planted += 1;
        }
    }
    assert_eq!(planted, 100);
}

#[test]
fn a_number_stands_by_its_own_name() {
    for sentence in [
        "Germany has 206 customers and France 412.",
        "206 customers are in Germany, 412 in France.",
        "Germany has 206 customers.",
        "Costa Rica has 29 customers, Rica 37.",
        "Germany has half as many customers as Costa Rica.",
    ] {
        assert!(!passes(sentence), "{sentence}");
    }
}

#[test]
fn a_name_that_no_row_holds_does_not_pass() {
    for sentence in [
        "Germany leads, ahead of Spain.",
        "Most customers are in Berlin.",
        "The leader is 'spain'.",
        "Germany leads, says Alice.",
    ] {
        assert!(!passes(sentence), "{sentence}");
    }
}

#[test]
fn of_a_cut_result_nothing_is_counted() {
    let cut = |sentence: &str| is_supported(sentence, &asked(QUESTION), &columns(), &rows(), true);
    assert!(cut("Germany has 412 customers."));
    assert!(!cut("There are 4 countries."));
    assert!(!cut("Together they have 684 customers."));
    assert!(!cut("Germany has 60 % of all customers."));
    assert!(!cut("The last one has 29 customers."));
}

#[test]
fn numbers_of_the_question_may_be_repeated() {
    let question = "Which countries have more than 500 customers?";
    let says = |sentence: &str| is_supported(sentence, &asked(question), &columns(), &[], false);
    assert!(says("No countries have more than 500 customers."));
    assert!(!says("No countries have more than 400 customers."));
}
