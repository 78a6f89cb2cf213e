//! The join path that a question names at its end: "How many orders per country (through customers)". This
//! is not part of the grammar: only texts that were offered as readings are recognised.

use crate::joins::step::Step;
use crate::linking::names;
use crate::linking::readable_names::readable;
use std::sync::Arc;
use text2sql_domain::schema::Table;

/// The words before the name of a path, in English and German.
const THROUGH: [&str; 2] = ["through ", "über "];

/// Maximum number of paths offered.
pub(crate) const MAX_PATHS: usize = 4;

/// The question without the path that it names at its end, and the words of that path.
pub(crate) fn split_named_path(question: &str) -> (&str, Option<Vec<String>>) {
    let whole = question.trim_end_matches(['?', '.', ' ']);
    let named = whole.strip_suffix(')').and_then(|text| {
        let (front, path) = text.rsplit_once('(')?;
        let name = THROUGH.iter().find_map(|word| path.strip_prefix(word))?;
        let words = names::words_of(name);
        (!words.is_empty()).then_some((front.trim_end(), words))
    });
    match named {
        Some((front, words)) => (front, Some(words)),
        None => (question, None),
    }
}

/// A distinguishing name for each path: a table that only this path passes, or a column that only this path
/// uses. `None` if a path has neither.
pub(crate) fn distinguishing_names(
    paths: &[Vec<Step>],
    tables: &[Arc<Table>],
) -> Option<Vec<String>> {
    let names: Vec<Vec<String>> = paths.iter().map(|path| names_on(path, tables)).collect();
    let own = |at: usize| {
        let others = |name: &String| {
            names
                .iter()
                .enumerate()
                .any(|(other, known)| other != at && known.contains(name))
        };
        names.get(at)?.iter().find(|name| !others(name)).cloned()
    };
    (0..paths.len()).map(own).collect()
}

/// Whether the words name a part of the path.
pub(crate) fn is_named(path: &[&Step], words: &[String], tables: &[Arc<Table>]) -> bool {
    let path: Vec<Step> = path.iter().map(|step| (*step).clone()).collect();
    names_on(&path, tables)
        .iter()
        .any(|name| names::words_of(name) == words)
}

/// The tables that a path passes, then its foreign key columns.
fn names_on(path: &[Step], tables: &[Arc<Table>]) -> Vec<String> {
    let last = path.len().saturating_sub(1);
    let passed = path
        .iter()
        .take(last)
        .filter_map(|step| tables.get(step.to));
    let columns = path.iter().flat_map(|step| {
        step.pairs.iter().map(|(from, to)| match step.is_to_one {
            true => from,
            false => to,
        })
    });
    let readable_column = |column: &String| {
        let in_words = readable(column);
        let bare = in_words.strip_suffix(" id").map(str::to_owned);
        bare.filter(|bare| !bare.is_empty()).unwrap_or(in_words)
    };
    passed
        .map(|table| readable(&table.name))
        .chain(columns.map(readable_column))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_read_at_the_end_only() {
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let check = |question: &str, front: &str, path: Option<Vec<String>>| {
            assert_eq!(split_named_path(question), (front, path), "{question}");
        };
        check(
            "films in Italian (through original language)?",
            "films in Italian",
            words(&["original", "language"]),
        );
        check(
            "Bestellungen je Land (über stores)",
            "Bestellungen je Land",
            words(&["store"]),
        );
        for whole in [
            "orders (through)",
            "orders (by store)",
            "orders through stores",
            "(through",
        ] {
            check(whole, whole, None);
        }
    }
}
