//! Words of the catalog that are spelled like a word of the question which the catalog does not have: without a
//! typing error ("custmers"), its parts ("orderheader"), a longer word that holds it, or what an abbreviation
//! stands for ("addr").
//!
//! All come from look-ups of words, so a question costs two queries more, and only if it has such words.

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{NearWord, SearchIndex};
use text2sql_language::edit_distance::is_typo;
use text2sql_language::names::{abbreviations, english_words};
use text2sql_language::terms::Analyzer;

/// How sure it is that such a word is meant, as a similarity of meaning would say it.
const TYPO: f32 = 0.9;
const MEANING: f32 = 0.85;
const PART_OF_QUESTION: f32 = 0.8;
const LONGER_WORD: f32 = 0.7;

/// Minimum length of a part of a word of the question.
const SHORTEST_PART: usize = 3;
/// Minimum length of a word of the question that is looked for in longer words, and the minimum share of the
/// longer word that it makes up: "table" is no part of "vegetable".
const SHORTEST_IN_LONGER: usize = 5;
const LEAST_SHARE: f64 = 0.4;

/// Words asked for, of which typing errors and longer words are taken.
const ASKED: usize = 12;

/// For each of the words, which the catalog does not have, the words of the catalog that may be meant, each with
/// its term.
pub(crate) fn candidates(
    index: &dyn SearchIndex,
    words: &[String],
    analyzer: &Analyzer,
) -> Result<Vec<Vec<(String, NearWord)>>, Error> {
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let alike = index.similar_words(words, ASKED)?;
    let mut guesses: Vec<(usize, Vec<String>, f32)> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for meaning in abbreviations::meanings(word) {
            let parts = meaning.split(' ').map(str::to_owned);
            guesses.push((at, parts.collect(), MEANING));
        }
        for (first, second) in halves(word) {
            let parts = vec![first.to_owned(), second.to_owned()];
            guesses.push((at, parts, PART_OF_QUESTION));
        }
    }
    let asked: Vec<String> = guesses
        .iter()
        .flat_map(|(_, parts, _)| parts.clone())
        .collect();
    let known = index.known_words(&asked)?;
    let mut known = known.into_iter();
    let mut found: Vec<Vec<(String, NearWord)>> = words
        .iter()
        .zip(alike)
        .map(|(word, alike)| {
            let alike = alike.into_iter().filter_map(|near| {
                let similarity = likeness(word, &near.word)?;
                Some(term_of(near.word, similarity, analyzer))
            });
            alike.collect()
        })
        .collect();
    for (at, parts, similarity) in guesses {
        let all_known = known
            .by_ref()
            .take(parts.len())
            .fold(true, |all, one| all && one);
        if let Some(found) = found.get_mut(at).filter(|_| all_known) {
            let parts = parts.into_iter();
            found.extend(parts.map(|part| term_of(part, similarity, analyzer)));
        }
    }
    for words in &mut found {
        words.sort_by(|one, other| other.1.similarity.total_cmp(&one.1.similarity));
        let mut terms: Vec<String> = Vec::new();
        words.retain(|(term, _)| {
            let is_new = !terms.contains(term);
            terms.push(term.clone());
            is_new
        });
    }
    Ok(found)
}

fn term_of(word: String, similarity: f32, analyzer: &Analyzer) -> (String, NearWord) {
    (analyzer.stem(&word), NearWord { word, similarity })
}

/// The ways to cut a word in two; none for an English word.
fn halves(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let letters = word.chars().count();
    let places = match english_words::level(word) {
        Some(_) => 0,
        None => (letters + 1).saturating_sub(SHORTEST_PART),
    };
    let places = word.char_indices().take(places).skip(SHORTEST_PART);
    places.filter_map(|(at, _)| word.split_at_checked(at))
}

/// How sure it is that `known` is meant by `word`; `None` if it is not.
fn likeness(word: &str, known: &str) -> Option<f32> {
    let first = |text: &str| text.chars().next();
    // Another English word is no typing error: "state" is not "stage".
    if english_words::level(word).is_none() && first(word) == first(known) && is_typo(word, known) {
        return Some(TYPO);
    }
    let (length, whole) = (word.chars().count(), known.chars().count());
    let is_end = known.starts_with(word) || known.ends_with(word);
    let is_large = length as f64 >= LEAST_SHARE * whole as f64;
    (length >= SHORTEST_IN_LONGER && is_end && is_large && english_words::level(known).is_none())
        .then_some(LONGER_WORD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::memory_index::MemoryIndex;
    use text2sql_domain::schema::Table;

    fn found(names: &[&str], word: &str) -> Vec<String> {
        let tables: Vec<Table> = names
            .iter()
            .zip(1..)
            .map(|(name, oid)| Table {
                oid,
                name: (*name).to_owned(),
                ..Table::default()
            })
            .collect();
        let mut index = MemoryIndex::new(Analyzer::default());
        index.add_tables(&tables, None).unwrap();
        let candidates = candidates(&index, &[word.to_owned()], &Analyzer::default()).unwrap();
        let words = candidates.into_iter().flatten().map(|(_, near)| near.word);
        words.collect()
    }

    #[test]
    fn words_that_are_spelled_like_words_of_the_catalog_are_found() {
        let catalog = [
            "customers",
            "order_header",
            "xytransactions",
            "address",
            "states",
        ];
        assert_eq!(found(&catalog, "custmers"), ["customers"]);
        assert_eq!(found(&catalog, "orderheader"), ["order", "header"]);
        assert_eq!(found(&catalog, "addr"), ["address"]);
        assert!(found(&catalog, "stage").is_empty());
        assert!(found(&catalog, "weather").is_empty());
        assert!(found(&["vegetables"], "table").is_empty());
    }
}
