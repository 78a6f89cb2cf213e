//! Which of several ways between two tables a question means: readings say so behind the question, "How
//! many orders per country (through customers)". It is no part of the grammar: only what was offered as a
//! reading is read.

use crate::joins::step::Step;
use crate::linking::names;
use crate::linking::readable_names::speak;
use std::sync::Arc;
use text2sql_domain::schema::Table;

/// What stands before the name of a way, in English and in German.
const THROUGH: [&str; 2] = ["through ", "über "];

/// Most ways that are a choice.
pub(crate) const MAX_WAYS: usize = 4;

/// The question without the way that it names at its end, and the words of that way.
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

/// How the ways are told apart, in their order: by a table that only one of them passes, or by a column that
/// only one of them uses. `None` where one of them has neither.
pub(crate) fn told_apart(ways: &[Vec<Step>], tables: &[Arc<Table>]) -> Option<Vec<String>> {
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

/// Whether the words name a part of the way.
pub(crate) fn is_named(way: &[&Step], words: &[String], tables: &[Arc<Table>]) -> bool {
    let way: Vec<Step> = way.iter().map(|step| (*step).clone()).collect();
    marks(&way, tables)
        .iter()
        .any(|mark| names::words_of(mark) == words)
}

/// The tables that a way passes, then the columns by which its rows refer to others.
fn marks(way: &[Step], tables: &[Arc<Table>]) -> Vec<String> {
    let last = way.len().saturating_sub(1);
    let passed = way.iter().take(last).filter_map(|step| tables.get(step.to));
    let columns = way.iter().flat_map(|step| {
        step.pairs.iter().map(|(from, to)| match step.is_to_one {
            true => from,
            false => to,
        })
    });
    let spoken = |column: &String| {
        let spoken = speak(column);
        let bare = spoken.strip_suffix(" id").map(str::to_owned);
        bare.filter(|bare| !bare.is_empty()).unwrap_or(spoken)
    };
    passed
        .map(|table| speak(&table.name))
        .chain(columns.map(spoken))
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
