//! A labelled set: which side answers, of questions of our own.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use super::*;

/// `question | tables' part`, in blocks by kind.
const LABELLED: &str = include_str!("labelled.txt");

#[test]
fn the_labelled_questions_go_to_their_side() {
    let mut kind = Kind::Quantitative;
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in LABELLED
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        kind = match line {
            "# quantitative" => Kind::Quantitative,
            "# qualitative" => Kind::Qualitative,
            "# hybrid" => Kind::Hybrid,
            line => {
                count += 1;
                let (question, tables) = match line.split_once(" | ") {
                    Some((question, tables)) => (question, Some(tables)),
                    None => (line, None),
                };
                let is_german = question.contains(|c| "äöüßÄÖÜ".contains(c))
                    || [
                        "Wie ", "War", "Was ", "Wel", "Wies", "Wesh", "Zeig", "Dar", "Laut", "Wor",
                        "Fas", "Kann ", "Weshalb", "Muss",
                    ]
                    .iter()
                    .any(|start| question.starts_with(start));
                let language = if is_german {
                    Language::named("de").unwrap_or_default()
                } else {
                    Language::ENGLISH
                };
                let decision = decide(question, language);
                if decision.kind != kind
                    || (tables.is_some() && decision.tables.as_deref() != tables)
                {
                    wrong.push(format!("{question}: {decision:?}"));
                }
                kind
            }
        };
    }
    assert!(count >= 100, "{count} questions");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_figure_is_never_looked_for_in_texts() {
    for question in [
        "What is the total revenue of 2025?",
        "How many unicorns are there?",
        "Which films are long?",
        "What is the average rating per product?",
        "Wie hoch ist der Umsatz?",
        "Show all reviews",
    ] {
        assert!(
            !decide(question, Language::ENGLISH).may_be_texts,
            "{question}"
        );
    }
    assert!(decide("How long is the warranty of a jacket?", Language::ENGLISH).may_be_texts);
}

/// A question has up to 16 kB, and each place that may join two is read on both sides.
#[test]
fn two_questions_are_looked_for_at_the_first_joints() {
    let two = |before: usize| {
        let words = "; red".repeat(before);
        let question = format!("How many coats{words} were returned, and why?");
        decide(&question, Language::ENGLISH).tables.is_some()
    };
    assert!(two(3));
    assert!(!two(40));
}
