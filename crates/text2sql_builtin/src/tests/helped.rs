//! Questions with misspelt and German words, and what is offered for those without an answer.

use super::{TODAY, company};
use crate::NoHelp;
use crate::help::propose_with_help;
use expect_test::expect_file;
use text2sql_domain::proposal::Proposal;
use text2sql_language::understanding::Understanding;

/// The statement and the readings, or what the refusal comes with.
fn helped(question: &str) -> String {
    let understanding = Understanding::of(question, TODAY);
    let helped = propose_with_help(&understanding, &company(), &[], &NoHelp).unwrap();
    match helped.proposal {
        Proposal::Sql(answer) => {
            let corrected = answer.corrected_question.map(|text| format!("\n-- {text}"));
            let links = answer.links.join("; ");
            format!(
                "{}\n-- {links}{}",
                answer.sql,
                corrected.unwrap_or_default()
            )
        }
        Proposal::Ambiguous { question, readings } => {
            format!("{question}\n- {}", readings.join("\n- "))
        }
        Proposal::Unanswerable { reason, .. } => {
            let understood = helped.offer.understood.join("; ");
            let questions = helped.offer.questions.iter();
            let questions: Vec<String> = questions
                .map(|one| format!("\n- {}", one.question))
                .collect();
            format!("{reason}\nread: {understood}{}", questions.concat())
        }
    }
}

#[test]
fn refusals_are_those_a_person_agreed_to() {
    golden_text::check(&expect_file!["golden/helped.txt"], helped);
}

#[test]
fn every_question_that_is_offered_has_an_answer() {
    for question in [
        "Which customers are happy?",
        "How many orders were late in Berlin?",
        "total revenue by store",
        "Wie viele Kunden sind treu?",
        "Which products should we discontinue?",
        "top 5 customers by orders",
        "What is the wisdom of each store per month?",
    ] {
        let understanding = Understanding::of(question, TODAY);
        let helped = propose_with_help(&understanding, &company(), &[], &NoHelp).unwrap();
        for offered in helped.offer.questions {
            let asked = Understanding::of(&offered.question, TODAY);
            let answer = propose_with_help(&asked, &company(), &[], &NoHelp).unwrap();
            match answer.proposal {
                Proposal::Sql(answer) => assert_eq!(answer.sql, offered.sql),
                declined => panic!("{question}: {}: {declined:?}", offered.question),
            }
        }
    }
}

#[test]
fn a_question_that_names_nothing_is_met_with_what_the_data_are_about() {
    for question in [
        "Tell me a joke",
        "How are you?",
        "What is the weather like?",
    ] {
        let understanding = Understanding::of(question, TODAY);
        let helped = propose_with_help(&understanding, &company(), &[], &NoHelp).unwrap();
        let offered = helped.offer.questions.into_iter();
        let offered: Vec<String> = offered.map(|one| one.question).collect();
        assert_eq!(
            offered,
            [
                "How many stores are there?",
                "How many countries are there?",
                "How many customers are there?"
            ],
            "{question}"
        );
    }
}
