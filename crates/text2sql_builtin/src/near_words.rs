//! Reads a word that the tables do not have as the one of their words that means the same: "Kunden" as
//! customers, "wages" as salaries.
//!
//! Only where a question would be declined for that word, and only if one word of the tables is clearly the
//! nearest. If the question with that word has no answer, it is declined as before.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use text2sql_domain::error::Error;
use text2sql_domain::language::Language;
use text2sql_domain::ports::search_index::NearWord;
use text2sql_domain::proposal::Proposal;
use text2sql_domain::schema::{Definition, Table};
use text2sql_language::understanding::Understanding;
use text2sql_language::words::stem;

use crate::linking::names::words_of;
use crate::proposal::readings::propose_within;
use crate::rendering::german_messages;

/// Maximum number of words that are replaced in a question: with more, it is about something else.
const MAX_WORDS: usize = 3;

/// Least cosine of a word with the word that replaces it. Of pairs of unrelated nouns 99 % are below 0.65; of 42
/// pairs with the same meaning, in English, German, French and Spanish, 34 are above 0.7.
const MIN_SIMILARITY: f32 = 0.7;

/// The same for a word that names columns only: columns differ by less than tables do.
const MIN_SIMILARITY_OF_COLUMN: f32 = 0.8;

/// Stems of words that say how much or what kind, not of what. The encoder takes them for each other (an amount for a
/// quantity with 0.87), and no schema does.
const VAGUE: &[&str] = &[
    "amount", "code", "count", "date", "kind", "level", "name", "number", "quantiti", "rate",
    "size", "status", "sum", "time", "total", "type", "value",
];

/// Least distance to the next word of the tables that names something else.
const MIN_DISTANCE: f32 = 0.1;

/// Answers the question over the tables, with words of the tables for words that they do not have. `near` gives, for
/// each of some words, words of the catalog with similar meaning; those that the tables do not have are ignored.
pub fn propose_by_near_words(
    understanding: &Understanding,
    tables: &[Arc<Table>],
    definitions: &[Definition],
    near: impl Fn(&[String]) -> Result<Vec<Vec<NearWord>>, Error>,
) -> Result<Proposal, Error> {
    let first = propose_within(understanding, tables, definitions, 0);
    let mut text = understanding.text().to_owned();
    let mut latest = first.clone();
    let mut read: Vec<(String, String)> = Vec::new();
    let mut vocabulary = None;
    while let Proposal::Unanswerable { missing, .. } = &latest
        && !missing.is_empty()
        && read.len() + missing.len() <= MAX_WORDS
    {
        let vocabulary = vocabulary.get_or_insert_with(|| Vocabulary::of(tables));
        for (word, near) in missing.iter().zip(near(missing)?) {
            let Some(known) = vocabulary.certain(word, &near) else {
                return Ok(first);
            };
            let Some(replaced) = with_word(&text, word, known) else {
                return Ok(first);
            };
            text = replaced;
            read.push((word.clone(), known.to_owned()));
        }
        let replaced = Understanding::of(&text, understanding.today());
        latest = propose_within(&replaced, tables, definitions, 0);
    }
    let Proposal::Sql(mut answer) = latest else {
        return Ok(first);
    };
    let notes = read.iter().map(|(word, known)| {
        let note = format!("'{word}' is read as {known}");
        match understanding.language() {
            Language::English => note,
            Language::German => german_messages::in_german(&note),
        }
    });
    answer.links.splice(0..0, notes.collect::<Vec<_>>());
    Ok(Proposal::Sql(answer))
}

/// What is named by the words of names and synonyms: for each stem the tables, and columns of tables.
struct Vocabulary(HashMap<String, HashSet<(usize, Option<usize>)>>);

impl Vocabulary {
    fn of(tables: &[Arc<Table>]) -> Self {
        let mut named: HashMap<String, HashSet<_>> = HashMap::new();
        let mut add = |name: &String, synonyms: &[String], object| {
            for word in std::iter::once(name)
                .chain(synonyms)
                .flat_map(|name| words_of(name))
            {
                named.entry(word).or_default().insert(object);
            }
        };
        for (at, table) in tables.iter().enumerate() {
            add(&table.name, &table.synonyms, (at, None));
            for (column_at, column) in table.columns.iter().enumerate() {
                add(&column.name, &column.synonyms, (at, Some(column_at)));
            }
        }
        Self(named)
    }

    /// The word that is nearest by far. Forms of one word count as one, and so does another word for the same things.
    fn certain<'n>(&self, word: &str, near: &'n [NearWord]) -> Option<&'n str> {
        let mut known = near
            .iter()
            .filter_map(|near| Some((near, self.0.get(&stem(&near.word))?)));
        let (best, named) = known.next()?;
        let next = known.find(|(_, others)| !others.is_subset(named));
        let is_clear =
            next.is_none_or(|(next, _)| best.similarity - next.similarity >= MIN_DISTANCE);
        let is_table = named.iter().any(|(_, column)| column.is_none());
        let (least, is_vague) = match is_table {
            true => (MIN_SIMILARITY, false),
            false => (
                MIN_SIMILARITY_OF_COLUMN,
                [word, &best.word].into_iter().any(is_vague),
            ),
        };
        (best.similarity >= least && is_clear && !is_vague).then_some(best.word.as_str())
    }
}

fn is_vague(word: &str) -> bool {
    VAGUE.contains(&stem(&word.to_lowercase()).as_str())
}

/// The text with another word wherever a word occurs; `None` if it does not.
fn with_word(text: &str, word: &str, replacement: &str) -> Option<String> {
    let is_outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let mut replaced = String::with_capacity(text.len() + replacement.len());
    let mut end = 0;
    for (at, _) in text.match_indices(word) {
        let (before, rest) = text.split_at(at);
        let after = rest.strip_prefix(word).unwrap_or_default();
        if is_outside(before.chars().next_back()) && is_outside(after.chars().next()) {
            replaced.push_str(text.get(end..at)?);
            replaced.push_str(replacement);
            end = at + word.len();
        }
    }
    replaced.push_str(text.get(end..)?);
    (end > 0).then_some(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{TODAY, company};

    fn near(pairs: &[(&str, f32)]) -> Vec<NearWord> {
        let near = pairs.iter().map(|(word, similarity)| NearWord {
            word: (*word).to_owned(),
            similarity: *similarity,
        });
        near.collect()
    }

    /// The SQL and the readings, or nothing if it is declined.
    fn answer(question: &str, words: &[(&str, f32)]) -> Option<(String, Vec<String>)> {
        let understanding = Understanding::of(question, TODAY);
        let lookup = |missing: &[String]| Ok(missing.iter().map(|_| near(words)).collect());
        match propose_by_near_words(&understanding, &company(), &[], lookup).unwrap() {
            Proposal::Sql(answer) => Some((answer.sql, answer.links)),
            _ => None,
        }
    }

    #[test]
    fn a_word_is_read_as_the_one_that_is_clearly_nearest() {
        let (sql, links) = answer(
            "How many shoppers are there?",
            &[("customers", 0.9), ("customer", 0.88), ("products", 0.5)],
        )
        .unwrap();
        assert!(sql.contains("FROM customers"), "{sql}");
        assert_eq!(links, ["'shoppers' is read as customers"]);
    }

    #[test]
    fn nothing_is_guessed() {
        let question = "How many shoppers are there?";
        // Two are near; the nearest is far; the nearest is no word of the tables.
        for words in [
            &[("customers", 0.9), ("products", 0.85)][..],
            &[("customers", 0.6)],
            &[("visitors", 0.9)],
            &[],
        ] {
            assert_eq!(answer(question, words), None, "{words:?}");
        }
    }

    #[test]
    fn a_word_for_a_column_must_be_nearer_and_say_of_what() {
        let of_columns = |question, word, near| answer(question, &[(word, near)]);
        assert!(of_columns("List the town of each store", "city", 0.9).is_some());
        assert_eq!(
            of_columns("List the town of each store", "city", 0.75),
            None
        );
        assert!(is_vague("quantity") && is_vague("Amount") && is_vague("types"));
        assert!(!is_vague("city"));
    }

    #[test]
    fn only_whole_words_are_replaced() {
        assert_eq!(
            with_word("art, artists and art", "art", "works").unwrap(),
            "works, artists and works"
        );
        assert_eq!(with_word("artists", "art", "works"), None);
    }
}
