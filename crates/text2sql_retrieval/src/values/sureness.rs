//! How sure it is that a phrase of a question means a value that was found for it.

use std::collections::HashSet;

use super::linking::{Phrases, is_spelled_alike};
use crate::joins::inferred::names_people;
use text2sql_domain::ports::search_index::ValueHit;
use text2sql_domain::schema::{Column, Table};
use text2sql_language::edit_distance::is_typo;
use text2sql_language::terms::{Analyzer, fold};
use text2sql_language::understanding::Mark;

/// A phrase that shares less than this with a value of other words means something else.
const NEARLY_EQUAL: f32 = 0.7;

/// Maximum number of phrases that are said to be not found.
const MAX_UNFOUND: usize = 3;

/// How sure it is that a phrase means a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sureness {
    /// It is spelled like the value, or like what the owner says that the value means.
    Spelled,
    /// It is short for the value, or nearly spelled like it.
    Near,
    /// It only shares something with it: "Jane Doe" is not Jane Smith.
    Other,
}

/// How sure it is that the phrase means the value in the column.
pub fn how_sure(
    phrase: &str,
    hit: &ValueHit,
    table: &Table,
    column: &Column,
    analyzer: &Analyzer,
) -> Sureness {
    let value = &hit.value;
    let mut meanings = column.value_meanings.iter();
    let has_meaning = hit.similarity >= 1.0 && meanings.any(|(known, _)| known == value);
    if has_meaning || is_spelled_alike(phrase, value, analyzer) {
        return Sureness::Spelled;
    }
    let of_phrase: HashSet<String> = analyzer.terms(phrase).into_iter().collect();
    let of_value: HashSet<String> = analyzer.terms(value).into_iter().collect();
    let is_near = if is_typo(&fold(phrase), &fold(value)) || hit.similarity >= 1.0 {
        true
    } else if !of_phrase.is_empty() && of_phrase.is_subset(&of_value) {
        // Nobody is another person of the same name.
        !names_people(&table.name, &column.name)
    } else if of_phrase.len() == 1 && of_value.len() == 1 {
        fold(value).starts_with(&fold(phrase)) || hit.similarity >= NEARLY_EQUAL
    } else {
        false
    };
    match is_near {
        true => Sureness::Near,
        false => Sureness::Other,
    }
}

/// What the question sets apart as a name, a code or by quotation marks, and no indexed value is even near. `names` says
/// whether a word is one of the names of the tables at hand.
pub fn unfound(
    phrases: &Phrases,
    hits: &[ValueHit],
    analyzer: &Analyzer,
    names: impl Fn(&str) -> bool,
) -> Vec<String> {
    let found: Vec<&str> = hits
        .iter()
        .filter_map(|hit| phrases.of_hit(hit))
        .map(|phrase| phrase.text.as_str())
        .collect();
    let overlaps = |text: &str| {
        found
            .iter()
            .any(|known| known.contains(text) || text.contains(known))
    };
    let mut unfound: Vec<String> = Vec::new();
    for phrase in &phrases.said {
        let text = phrase.text.trim();
        let is_value = match phrase.mark {
            Mark::None => false,
            Mark::Quoted => true,
            Mark::Name | Mark::Code => {
                let mut terms = analyzer.terms(text).into_iter();
                !phrase.is_general && !phrase.is_number && !terms.any(|term| names(&term))
            }
        };
        if !is_value || overlaps(text) || unfound.iter().any(|known| known.contains(text)) {
            continue;
        }
        unfound.retain(|known| !text.contains(known.as_str()));
        unfound.push(text.to_owned());
    }
    unfound.truncate(MAX_UNFOUND);
    unfound
}
