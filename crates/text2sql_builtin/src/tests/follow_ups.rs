//! Follow-ups as whole questions that the engine answers.

use super::*;
use crate::{follow_ups, goes_on};

/// A question, ` / `, what follows it, and the first whole question that the engine answers, or "-".
#[test]
fn follow_ups_become_the_questions_a_person_agreed_to() {
    let tables = company();
    golden_text::check(&expect_file!["golden/follow_ups.txt"], |case| {
        let (previous, follow_up) = case.split_once(" / ").unwrap();
        follow_ups(previous, &Understanding::of(follow_up, TODAY), &tables, &[])
            .into_iter()
            .find(|text| matches!(propose(text, &tables, &[], TODAY), Proposal::Sql(_)))
            .unwrap_or_else(|| "-".to_owned())
    });
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
