//! Definitions of a file that cannot stand together: terms that are defined twice, and terms that are explained by each
//! other.

use std::collections::{HashMap, HashSet};

use super::mapping::Mapping;

/// Why lines of a glossary cannot be taken, by their place among `lines`. `known` are the terms that are defined already,
/// with their meanings.
pub fn objections(lines: &[(i64, &Mapping)], known: &[(String, String)]) -> HashMap<usize, String> {
    let mut objections = HashMap::new();
    let mut first: HashMap<(String, Option<String>), i64> = HashMap::new();
    for (place, (line, mapping)) in lines.iter().enumerate() {
        let table = mapping.applies_to.as_deref().map(str::to_lowercase);
        match first.get(&(mapping.term.to_lowercase(), table.clone())) {
            Some(before) => {
                let message = format!("\"{}\" is defined in line {before} already", mapping.term);
                objections.insert(place, message);
            }
            None => drop(first.insert((mapping.term.to_lowercase(), table), *line)),
        }
    }
    let mut means: HashMap<String, String> = HashMap::new();
    for (term, meaning) in known {
        means.insert(term.to_lowercase(), meaning.trim().to_lowercase());
    }
    for (place, (_, mapping)) in lines.iter().enumerate() {
        if objections.contains_key(&place) {
            // The first line of a term counts.
            continue;
        }
        if let Some(meaning) = explained_by(mapping) {
            means.insert(mapping.term.to_lowercase(), meaning.to_lowercase());
        } else {
            means.remove(&mapping.term.to_lowercase());
        }
    }
    for (place, (_, mapping)) in lines.iter().enumerate() {
        if let Some(circle) = circle_from(&mapping.term.to_lowercase(), &means) {
            let message = format!("the definition goes in a circle: {}", circle.join(" → "));
            objections.entry(place).or_insert(message);
        }
    }
    objections
}

/// The words that alone explain a term.
fn explained_by(mapping: &Mapping) -> Option<&str> {
    match (&mapping.meaning, &mapping.sql) {
        (_, Some(sql)) if mapping.is_words() => Some(sql),
        (Some(meaning), None) if mapping.period.is_none() => Some(meaning),
        _ => None,
    }
}

/// The way from a term back to itself.
fn circle_from<'a>(term: &'a str, means: &'a HashMap<String, String>) -> Option<Vec<&'a str>> {
    let mut way = vec![term];
    let mut seen = HashSet::from([term]);
    let mut at = term;
    while let Some(next) = means.get(at) {
        way.push(next);
        if next == term {
            return Some(way);
        }
        if !seen.insert(next) {
            // A circle of others, which they report.
            return None;
        }
        at = next;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(lines: &[(&str, &str)], known: &[(&str, &str)], expected: &[(usize, &str)]) {
        let mappings: Vec<Mapping> = lines
            .iter()
            .map(|(term, meaning)| Mapping {
                term: (*term).to_owned(),
                meaning: Some((*meaning).to_owned()),
                ..Mapping::default()
            })
            .collect();
        let lines: Vec<(i64, &Mapping)> = (2..).zip(&mappings).collect();
        let known: Vec<(String, String)> = known
            .iter()
            .map(|(term, meaning)| ((*term).to_owned(), (*meaning).to_owned()))
            .collect();
        let mut found: Vec<(usize, String)> = objections(&lines, &known).into_iter().collect();
        found.sort();
        let found: Vec<(usize, &str)> = found
            .iter()
            .map(|(place, why)| (*place, why.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_term_is_defined_once() {
        check(
            &[("MRR", "monthly"), ("SP", "Sharepoint"), ("mrr", "revenue")],
            &[],
            &[(2, "\"mrr\" is defined in line 2 already")],
        );
    }

    #[test]
    fn a_circle_is_found_on_every_line_of_it() {
        check(
            &[("A", "b"), ("B", "C"), ("C", "a"), ("D", "A"), ("E", "e")],
            &[],
            &[
                (0, "the definition goes in a circle: a → b → c → a"),
                (1, "the definition goes in a circle: b → c → a → b"),
                (2, "the definition goes in a circle: c → a → b → c"),
                (4, "the definition goes in a circle: e → e"),
            ],
        );
        check(
            &[("A", "B")],
            &[("b", "A")],
            &[(0, "the definition goes in a circle: a → b → a")],
        );
        check(&[("A", "B"), ("B", "something")], &[("b", "A")], &[]);
        check(
            &[("A", "B"), ("B", "A"), ("A", "x")],
            &[],
            &[
                (0, "the definition goes in a circle: a → b → a"),
                (1, "the definition goes in a circle: b → a → b"),
                (2, "\"A\" is defined in line 2 already"),
            ],
        );
    }
}
