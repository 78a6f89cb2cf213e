//! The parts of a meaning, and what they may be changed to.

use super::*;

use crate::{meaning_parts, of_meaning};
use serde_json::Value;

fn meaning_of(question: &str, tables: &[Arc<Table>]) -> Value {
    match propose(question, tables, &[], TODAY) {
        Proposal::Sql(answer) => *answer.meaning.unwrap(),
        other => panic!("{question}: {other:?}"),
    }
}

/// The parts with their choices; each choice has a statement.
#[test]
fn each_part_is_told_and_can_be_another() {
    let tables = company();
    golden_text::check(&expect_file!["golden/meaning_parts.txt"], |question| {
        let meaning = meaning_of(question, &tables);
        let asked = Understanding::of(question, TODAY);
        let mut told = String::new();
        for part in meaning_parts(&meaning, &asked, &tables, &[]) {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let choices = part["choices"].as_array().unwrap();
            let names: Vec<String> = choices.iter().map(|choice| text(&choice["text"])).collect();
            told.push_str(&format!(
                "{} {:?} → {}",
                text(&part["part"]),
                text(&part["text"]),
                names.join(" | ")
            ));
            let mut sets: Vec<&Value> = choices.iter().map(|choice| &choice["set"]).collect();
            if !part["without"].is_null() {
                told.push_str(" | -");
                sets.push(&part["without"]);
            }
            told.push('\n');
            for set in sets {
                let mut changed = meaning.as_object().unwrap().clone();
                changed.extend(set.as_object().unwrap().clone());
                let changed = of_meaning(&changed.into(), &asked, &tables, &[]).unwrap();
                assert!(!changed.corrected_question.unwrap().is_empty());
            }
        }
        told.trim_end().to_owned()
    });
}
