//! Explanations of server errors.

use super::super::{corrected, mistake};
use super::shop;
use text2sql_domain::sql_result::DatabaseError;

fn candidates(sql: &str, sqlstate: &str, message: &str, position: usize) -> Vec<String> {
    let error = DatabaseError {
        sqlstate: sqlstate.to_owned(),
        message: message.to_owned(),
        detail: None,
        hint: None,
        position: Some(position),
        is_private: false,
    };
    mistake(sql, &error, &shop()).candidates
}

#[test]
fn reports_position_and_cause() {
    let error = DatabaseError {
        sqlstate: "42703".to_owned(),
        message: "column \"totl\" does not exist".to_owned(),
        detail: None,
        hint: Some("Perhaps you meant something else.".to_owned()),
        position: Some(9),
        is_private: false,
    };
    let steps = mistake("SELECT\n totl FROM orders", &error, &shop()).steps;
    let explained: Vec<String> = steps
        .iter()
        .map(|step| format!("{}: {}", step.clause, step.explanation))
        .collect();
    assert_eq!(
        explained,
        [
            "ERROR: Line 2, column 2, at `totl`: column \"totl\" does not exist (SQLSTATE 42703). \
             None of the tables in FROM has a column of that name.",
            "HINT: Perhaps you meant something else.",
            "NEAREST: The nearest names that exist: total.",
        ]
    );
    assert_eq!(corrected(" SELECT 1\n").explanation, "SELECT 1");
}

#[test]
fn puts_names_right() {
    let unknown = "column o.totl does not exist";
    assert_eq!(
        candidates("SELECT o.totl FROM orders o", "42703", unknown, 8),
        ["SELECT o.total FROM orders o"]
    );
    let relation = "relation \"custmers\" does not exist";
    assert_eq!(
        candidates("SELECT * FROM custmers", "42P01", relation, 15),
        ["SELECT * FROM customers"]
    );
    assert!(
        candidates(
            "SELECT * FROM xyz",
            "42P01",
            "relation \"xyz\" does not exist",
            15
        )
        .is_empty()
    );
}

#[test]
fn puts_key_words_commas_and_parentheses_right() {
    let syntax = "syntax error at or near";
    let offers = |sql: &str, position: usize, expect: &str| {
        let found = candidates(sql, "42601", syntax, position);
        assert!(found.iter().any(|text| text == expect), "{found:#?}");
    };
    offers("SELEC * FROM orders", 1, "SELECT * FROM orders");
    offers("select * form orders", 15, "select * from orders");
    offers(
        "SELECT id FROM orders WHER id = 1",
        28,
        "SELECT id FROM orders WHERE id = 1",
    );
    offers(
        "SELECT count(*) FROM orders GRUOP BY id",
        35,
        "SELECT count(*) FROM orders GROUP BY id",
    );
    offers("SELECT id, FROM orders", 12, "SELECT id FROM orders");
    offers(
        "SELECT sum(total FROM orders",
        18,
        "SELECT sum(total) FROM orders",
    );
}

#[test]
fn a_hint_names_no_column_that_the_caller_may_not_see() {
    let hinted = |column: &str| DatabaseError {
        sqlstate: "42703".to_owned(),
        message: "column \"nme\" does not exist".to_owned(),
        detail: None,
        hint: Some(format!(
            "Perhaps you meant to reference the column \"c.{column}\"."
        )),
        position: None,
        is_private: false,
    };
    let hint_of = |column: &str| {
        let sql = "SELECT nme, alias_of_mine FROM customers";
        crate::explain::without_closed_hint(hinted(column), sql, &shop()).hint
    };
    assert!(hint_of("name").is_some());
    assert!(hint_of("alias_of_mine").is_some());
    assert_eq!(hint_of("shoe_size"), None);
}
