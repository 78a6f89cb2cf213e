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
pub(crate) const MAX_WAYS: usize = 4;

/// The question without the path that it names at its end, and the words of that path.
pub(crate) fn cut(question: &str) -> (&str, Option<Vec<String>>) {
    let whole = question.trim_end_matches(['?', '.', ' ']);
    let named = whole.strip_suffix(')').and_then(|text| {
        let (front, way) = text.rsplit_once('(')?;
        let name = THROUGH.iter().find_map(|word| way.strip_prefix(word))?;
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
    ways: &[Vec<Step>],
    tables: &[Arc<Table>],
) -> Option<Vec<String>> {
    let marks: Vec<Vec<String>> = ways.iter().map(|way| marks(way, tables)).collect();
    let own = |at: usize| {
        let others = |mark: &String| {
            marks
                .iter()
                .enumerate()
                .any(|(other, known)| other != at && known.contains(mark))
        };
        marks.get(at)?.iter().find(|mark| !others(mark)).cloned()
    };
    (0..ways.len()).map(own).collect()
}

/// Whether the words name a part of the path.
pub(crate) fn is_named(way: &[&Step], words: &[String], tables: &[Arc<Table>]) -> bool {
    let way: Vec<Step> = way.iter().map(|step| (*step).clone()).collect();
    marks(&way, tables)
        .iter()
        .any(|mark| names::words_of(mark) == words)
}

/// The tables that a path passes, then its foreign key columns.
fn marks(way: &[Step], tables: &[Arc<Table>]) -> Vec<String> {
    let last = way.len().saturating_sub(1);
    let passed = way.iter().take(last).filter_map(|step| tables.get(step.to));
    let columns = way.iter().flat_map(|step| {
        step.pairs.iter().map(|(from, to)| match step.is_to_one {
            true => from,
            false => to,
        })
    });
    let in_words = |column: &String| {
        let in_words = readable(column);
        let bare = in_words.strip_suffix(" id").map(str::to_owned);
        bare.filter(|bare| !bare.is_empty()).unwrap_or(in_words)
    };
    passed
        .map(|table| readable(&table.name))
        .chain(columns.map(in_words))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_read_at_the_end_only() {
        let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
        let check = |question: &str, front: &str, way: Option<Vec<String>>| {
            assert_eq!(cut(question), (front, way), "{question}");
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
