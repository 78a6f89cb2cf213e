//! Reads names: what their words are, what abbreviations stand for, and where words are written together.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::segmentation::{self, Kind, Piece};
use super::vocabulary::Vocabulary;
use super::{abbreviations, english_words, shortening};
use crate::terms::{Analyzer, is_function_word, split};

/// Maximum number of meanings of a part.
const MAX_MEANINGS: usize = 3;

/// Reads the names of one catalog.
#[derive(Debug)]
pub struct NameReader<'a> {
    vocabulary: &'a Vocabulary,
    analyzer: &'a Analyzer,
    /// A catalog repeats its words: each is read once.
    known: RefCell<HashMap<String, Rc<[Part]>>>,
}

/// A name as it is read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// The words as written, each with its parts; without parts for a word that is read as it is written.
    pub words: Vec<(String, Rc<[Part]>)>,
}

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// As it is written.
    pub text: String,
    /// What it stands for, most likely first; empty for a word.
    pub meanings: Vec<String>,
}

impl<'a> NameReader<'a> {
    /// A reader of names of the catalog with these words.
    pub fn new(vocabulary: &'a Vocabulary, analyzer: &'a Analyzer) -> Self {
        Self {
            vocabulary,
            analyzer,
            known: RefCell::default(),
        }
    }

    /// Reads a name.
    pub fn read(&self, name: &str) -> Reading {
        let words = split(name);
        let last = words.len().saturating_sub(1);
        let words = words.into_iter().enumerate().map(|(at, word)| {
            // "no" is a number at the end of a name, and else a negation.
            let is_plain = is_function_word(&word) && (at == 0 || at < last);
            let parts = match is_plain {
                true => Rc::default(),
                false => self.parts(&word),
            };
            (word, parts)
        });
        Reading {
            words: words.collect(),
        }
    }

    /// The parts of a folded word; empty for a word that is read as it is written.
    pub fn parts(&self, word: &str) -> Rc<[Part]> {
        if let Some(known) = self.known.borrow().get(word) {
            return Rc::clone(known);
        }
        let parts: Rc<[Part]> = self.take_apart(word).into();
        self.known
            .borrow_mut()
            .insert(word.to_owned(), Rc::clone(&parts));
        parts
    }

    fn take_apart(&self, word: &str) -> Vec<Part> {
        if abbreviations::is_storage_word(word) {
            return Vec::new();
        }
        if let Some(pieces) = segmentation::segment(word, self.vocabulary, self.analyzer) {
            let read = pieces.iter().filter(|piece| match piece.kind {
                Kind::Known | Kind::Unknown => true,
                Kind::Prefix | Kind::Joining => false,
            });
            return read.flat_map(|piece| self.part(piece)).collect();
        }
        let meanings = self.meanings(word);
        if meanings.is_empty() {
            return Vec::new();
        }
        vec![Part {
            text: word.to_owned(),
            meanings,
        }]
    }

    /// A part, or its own parts where the catalog has it as a word that is written together.
    fn part(&self, piece: &Piece<'_>) -> Vec<Part> {
        let parts = match piece.kind {
            Kind::Unknown => Vec::new(),
            _ => self.parts(piece.text).to_vec(),
        };
        if !parts.is_empty() {
            return parts;
        }
        vec![Part {
            text: piece.text.to_owned(),
            meanings: Vec::new(),
        }]
    }

    /// What a word stands for, most likely first; empty for a plain word.
    pub fn meanings(&self, word: &str) -> Vec<String> {
        let is_word = english_words::level(word).is_some();
        let mut meanings: Vec<String> = abbreviations::meanings(word)
            .into_iter()
            // "loss" is a word, and no plural of "los".
            .filter(|_| !is_word || abbreviations::is_listed(word))
            .map(str::to_owned)
            .collect();
        if meanings.is_empty() {
            let is_word = is_word || self.vocabulary.uses_in_texts(word) > 0;
            if is_word || is_function_word(word) {
                return Vec::new();
            }
            meanings = shortening::long_forms(word, self.vocabulary);
        } else if meanings.len() > 1 {
            // Prefers the meanings that the catalog uses elsewhere.
            let used: Vec<String> = meanings
                .iter()
                .filter(|meaning| {
                    let mut words = meaning.split(' ');
                    words.all(|word| self.is_used(word))
                })
                .cloned()
                .collect();
            if !used.is_empty() {
                meanings = used;
            }
        }
        meanings.truncate(MAX_MEANINGS);
        meanings
    }

    fn is_used(&self, word: &str) -> bool {
        self.vocabulary.uses(word) > 0 || self.vocabulary.has_stem(&self.analyzer.stem(word))
    }
}

impl Reading {
    /// The words that the name does not have as written: parts, and what they stand for.
    pub fn further_words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flat_map(|(written, parts)| {
            parts.iter().flat_map(move |part| {
                let own = (part.text != *written).then_some(part.text.as_str());
                let meanings = part.meanings.iter().flat_map(|one| one.split(' '));
                own.into_iter().chain(meanings)
            })
        })
    }

    /// Number of words of the name as it is read, without those that tell how something is stored.
    pub fn length(&self) -> usize {
        let of_word = |(written, parts): &(String, Rc<[Part]>)| match parts.len() {
            0 if abbreviations::is_storage_word(written) => 0,
            count => count.max(1),
        };
        self.words.iter().map(of_word).sum()
    }

    /// The name in words, each part by what it most likely stands for, without those that tell how something
    /// is stored.
    pub fn text(&self) -> String {
        let is_content = |(written, _): &&(String, Rc<[Part]>)| {
            self.length() == 0 || !abbreviations::is_storage_word(written)
        };
        let words = self.words.iter().filter(is_content);
        let words = words.flat_map(|(written, parts)| {
            let plain = parts.is_empty().then_some(written.as_str());
            let read = parts.iter().map(|part| {
                let meaning = part.meanings.first();
                meaning.map_or(part.text.as_str(), String::as_str)
            });
            plain.into_iter().chain(read)
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests;
