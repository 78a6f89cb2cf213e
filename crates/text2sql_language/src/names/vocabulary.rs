//! The words that a catalog uses in its names, descriptions and synonyms.

use std::collections::{BTreeMap, HashMap};

use crate::terms::{Analyzer, is_function_word, split};

/// Minimum length of a word that may be a part of another one.
const SHORTEST: usize = 3;

/// The words of a catalog and how often they occur.
#[derive(Debug, Default)]
pub struct Vocabulary {
    /// Sorted, so that words with the same beginning can be found.
    words: BTreeMap<String, Uses>,
    /// The stems of the longer words: `bestelldatum` has a part of `bestellung`.
    stems: HashMap<String, u32>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    in_names: u32,
    in_texts: u32,
}

/// Minimum length of a stem: shorter ones are the beginning of too many words.
const SHORTEST_STEM: usize = 5;

impl Vocabulary {
    /// Adds a name that occurs `count` times.
    pub fn add_name(&mut self, name: &str, count: u32, analyzer: &Analyzer) {
        self.add(name, analyzer, |uses| {
            uses.in_names = uses.in_names.saturating_add(count);
        });
    }

    /// Adds a description or a synonym.
    pub fn add_text(&mut self, text: &str, analyzer: &Analyzer) {
        self.add(text, analyzer, |uses| {
            uses.in_texts = uses.in_texts.saturating_add(1);
        });
    }

    fn add(&mut self, text: &str, analyzer: &Analyzer, count: impl Fn(&mut Uses)) {
        for word in split(text) {
            let is_word = word.chars().count() >= SHORTEST
                && word.chars().all(char::is_alphabetic)
                && !is_function_word(&word);
            if !is_word {
                continue;
            }
            let uses = self.words.entry(word.clone()).or_default();
            if uses.in_names + uses.in_texts == 0 {
                let stem = analyzer.stem(&word);
                if stem.chars().count() >= SHORTEST_STEM {
                    *self.stems.entry(stem).or_default() += 1;
                }
            }
            count(uses);
        }
    }

    /// How often the word occurs.
    pub(super) fn uses(&self, word: &str) -> u32 {
        let uses = self.words.get(word).copied().unwrap_or_default();
        uses.in_names.saturating_add(uses.in_texts)
    }

    /// How often the word occurs in descriptions and synonyms, which people write in full words.
    pub(super) fn uses_in_texts(&self, word: &str) -> u32 {
        self.words.get(word).map_or(0, |uses| uses.in_texts)
    }

    /// How many words have this stem, other than the word itself.
    pub(super) fn has_stem(&self, stem: &str) -> bool {
        self.stems.contains_key(stem)
    }

    /// The words that begin with a letter.
    pub(super) fn beginning_with(&self, letter: char) -> impl Iterator<Item = &str> {
        let words = self.words.range(letter.to_string()..);
        let words = words.map(|(word, _)| word.as_str());
        words.take_while(move |word| word.starts_with(letter))
    }
}
