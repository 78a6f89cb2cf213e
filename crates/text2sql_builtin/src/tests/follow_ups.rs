//! Follow-ups as changes of the meaning before them.

use super::*;

use crate::{Before, Following, follow_up, goes_on, next_questions, whole};
use text2sql_domain::proposal::SqlProposal;

fn answered(question: &str, tables: &[Arc<Table>]) -> SqlProposal {
    match propose(question, tables, &[], TODAY) {
        Proposal::Sql(answer) => answer,
        other => panic!("{question}: {other:?}"),
    }
}

/// What becomes of a follow-up: a changed statement, a question of its own, or "-".
fn followed(question: &str, text: &str, tables: &[Arc<Table>]) -> Following {
    let first = answered(question, tables);
    let before = Before {
        question,
        sql: &first.sql,
        meaning: first.meaning.as_deref(),
    };
    follow_up(before, &Understanding::of(text, TODAY), tables, &[])
}

/// A question, ` / `, what follows it, and the statement of both, or what becomes of it otherwise.
#[test]
fn follow_ups_change_what_a_person_agreed_to() {
    let tables = company();
    golden_text::check(&expect_file!["golden/follow_ups.txt"], |case| {
        let (question, text) = case.split_once(" / ").unwrap();
        match followed(question, text, &tables) {
            Following::Changed(answer) => answer.sql,
            Following::Whole(whole) => format!("asks: {}", whole.text()),
            Following::Alone => "a question of its own".to_owned(),
            Following::Unresolved => "-".to_owned(),
        }
    });
}

#[test]
fn a_change_is_told_and_what_is_no_longer_true_is_not() {
    let tables = company();
    let Following::Changed(answer) = followed(
        "How many orders from customers in Germany were placed in 2024?",
        "und 2023?",
        &tables,
    ) else {
        panic!("no change");
    };
    let told = [answer.links, answer.notes].concat().join("\n");
    assert!(
        told.starts_with("„und 2023?“ ändert „How many orders"),
        "{told}"
    );
    assert!(told.contains(": der Zeitraum"), "{told}");
    assert!(told.contains("2023-12-31"), "{told}");
    assert!(!told.contains("2024-12-31"), "{told}");
    assert!(told.contains("Germany"), "{told}");
}

#[test]
fn a_turn_without_its_meaning_is_followed_where_its_statement_is_the_same() {
    let tables = company();
    let question = "How many customers are in Germany?";
    let first = answered(question, &tables);
    let asked = Understanding::of("and in France?", TODAY);
    let of = |sql: &str| {
        let before = Before {
            question,
            sql,
            meaning: None,
        };
        follow_up(before, &asked, &tables, &[])
    };
    assert!(matches!(of(&first.sql), Following::Changed(_)));
    assert!(matches!(of("SELECT 13"), Following::Unresolved));
}

#[test]
fn what_may_be_asked_next_is_a_change() {
    let tables = company();
    for (question, offers) in [
        ("How many orders were placed in 2024?", "by month"),
        (
            "Number of orders by month in 2024",
            "compared with the previous year",
        ),
        ("How many customers are there per country?", "as a share"),
        (
            "Which products are in the category Tents?",
            "the most expensive of them",
        ),
        ("Wie viele Kunden gibt es je Land?", "als Anteil"),
    ] {
        let first = answered(question, &tables);
        let asked = Understanding::of(question, TODAY);
        let next = next_questions(first.meaning.as_ref().unwrap(), &asked, &tables, &[]);
        assert!(
            next.iter().any(|text| text == offers),
            "{question}: {next:?}"
        );
        assert!(next.len() >= 2, "{question}: {next:?}");
        for text in next {
            let followed = followed(question, &text, &tables);
            assert!(
                matches!(followed, Following::Changed(_)),
                "{question} / {text}"
            );
        }
    }
}

#[test]
fn follow_ups_are_known_by_their_words() {
    for text in [
        "and by month?",
        "Only for Germany",
        "why so few?",
        "Und letztes Jahr?",
        "by store",
        "what about France?",
    ] {
        assert!(goes_on(&Understanding::of(text, TODAY)), "{text}");
    }
    for text in [
        "How many orders are there?",
        "Andorra customers",
        "List all stores in Berlin",
    ] {
        assert!(!goes_on(&Understanding::of(text, TODAY)), "{text}");
    }
}

#[test]
fn a_long_conversation_has_its_first_question_and_its_last_changes() {
    let mut text = "How many customers are in Germany?".to_owned();
    for change in ["and in France?", "by city", "only 2023", "top 5"] {
        text = whole(&text, &Understanding::of(change, "2026-01-15"));
    }
    assert_eq!(
        text,
        "How many customers are in Germany → … → only 2023 → top 5"
    );
}
