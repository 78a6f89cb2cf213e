//! The words of a question: which of them the catalog has, and near words for the others.

use std::collections::HashMap;

use super::Search;
use crate::index::postings;
use crate::lexical::near_words;
use crate::lexical::search_terms::SearchTerms;
use crate::lexical::spelling;
use crate::lexical::term_matches::Matches;
use crate::ranking::readable_tables::Admission;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, NearWord, PostingSegment, ValueHit};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::terms::{fold, split, split_as_written};
use text2sql_language::understanding::Understanding;

/// Letters of the shortest word that is replaced by near words: shorter ones are codes and remains of words.
const SHORTEST: usize = 3;

/// Tables looked at to learn whether the caller may read one with a term: first so many, then the rest up to
/// the second number.
const TABLES_LOOKED_AT: [usize; 2] = [20, 500];

/// A word of the question, as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The word in the question, in lower case.
    pub written: String,
    /// The word of the catalog.
    pub near: NearWord,
    /// The term of that word.
    pub(super) term: String,
}

/// What a question is searched by.
#[derive(Debug)]
pub(super) struct Searched {
    /// What the tables share with it.
    pub(super) matches: Matches,
    /// The words that were read as others, best first for each.
    pub(super) readings: Vec<Reading>,
    /// The words that may name something.
    content: Vec<ContentWord>,
}

/// A word that may name something in the schema.
#[derive(Debug)]
struct ContentWord {
    /// Its place among the terms of the question.
    place: usize,
    written: String,
    /// Whether a table that the caller may read has it.
    is_known: bool,
}

impl Searched {
    /// The share of the words that the catalog does not have.
    fn unknown(&self) -> f64 {
        unknown_share(&self.content)
    }

    /// How much the similarity of the whole question counts in the re-ranker, where words have these weights.
    ///
    /// As much as all words that may name something, and up to twice as much the fewer of them the catalog has:
    /// meaning fills what words leave open. In proportion to all terms, which include joined pairs of words, it
    /// outvoted the words of long questions.
    pub(super) fn similarity_weight(&self, embedder: &dyn Embedder, weights: &[f64]) -> f64 {
        if !embedder.knows_meaning() {
            return embedder.weight() * weights.iter().sum::<f64>();
        }
        let of_words = self
            .content
            .iter()
            .filter_map(|word| weights.get(word.place));
        embedder.weight() * of_words.sum::<f64>() * (1.0 + self.unknown())
    }
}

fn unknown_share(content: &[ContentWord]) -> f64 {
    let unknown = content.iter().filter(|word| !word.is_known).count();
    unknown as f64 / content.len().max(1) as f64
}

/// Packed postings by term.
type Postings = HashMap<String, Vec<Vec<u8>>>;

impl Search<'_> {
    /// Reads the postings of the question's words and of near words.
    pub(super) fn searched(
        &self,
        understanding: &Understanding,
        values: &[ValueHit],
        admission: &mut Admission<'_>,
    ) -> Result<Searched, Error> {
        let own = understanding.terms(self.analyzer);
        let mut postings = self.read_postings(&own)?;
        let known = self.readable_terms(&own, &postings, admission)?;
        let content = self.content(understanding, values, &own, &known);
        let mut readings = Vec::new();
        let mut others = Vec::new();
        let embedder = self.embedder.filter(|_| self.config.vectors);
        let embedder = embedder.filter(|embedder| embedder.knows_meaning());
        let unknown = unknown_share(&content);
        let is_foreign = embedder.is_some() && understanding.is_foreign();
        let asked = content.iter().filter(|word| is_foreign || !word.is_known);
        let asked: Vec<&ContentWord> = asked.collect();
        let near = match embedder {
            Some(embedder) => self.candidates(embedder, &own, &asked)?,
            None => vec![Vec::new(); asked.len()],
        };
        let alike = self.spelled_alike(&asked)?;
        let terms = near.iter().chain(&alike).flatten();
        let mut terms: Vec<String> = terms.map(|(term, _)| term.clone()).collect();
        terms.retain(|term| !postings.contains_key(term));
        terms.sort_unstable();
        terms.dedup();
        postings.extend(self.read_postings(&terms)?);
        let all: Vec<String> = terms.into_iter().chain(own.iter().cloned()).collect();
        let readable = self.readable_terms(&all, &postings, admission)?;
        let is_readable = |term: &str| {
            let mut known = all.iter().zip(&readable);
            known.any(|(known, may_read)| known == term && *may_read)
        };
        for ((word, near), alike) in asked.into_iter().zip(near).zip(alike) {
            // A word that is spelled alike is the question's, whatever else it asks.
            let alike = alike.into_iter().filter(|(term, _)| is_readable(term));
            let alike = alike.map(|(term, near)| (f64::from(near.similarity), term, near));
            let near = near_words::choose(near, is_readable).into_iter();
            let near = near.map(|(term, near)| {
                let weight = near_words::weight(near.similarity, unknown, word.is_known);
                (weight, term, near)
            });
            for (weight, term, near) in alike.chain(near) {
                others.push((word.place, term.clone(), weight));
                readings.push(Reading {
                    written: word.written.clone(),
                    near,
                    term,
                });
            }
        }
        let plain = self.foreign_function_words(understanding);
        let is_searched = |place: usize| own.get(place).is_some_and(|term| !plain.contains(term));
        let terms = SearchTerms::with_others(&own, is_searched, others);
        let segments = segments_of(terms.terms(), &mut postings);
        let items = self.state.schema.items;
        Ok(Searched {
            matches: Matches::of(&segments, items, terms, self.overlay),
            readings,
            content,
        })
    }

    /// Words of the catalog that are spelled like each of the words that it does not have.
    fn spelled_alike(&self, asked: &[&ContentWord]) -> Result<Vec<Vec<(String, NearWord)>>, Error> {
        let unknown = asked.iter().enumerate().filter(|(_, word)| !word.is_known);
        let (places, words): (Vec<usize>, Vec<String>) =
            unknown.map(|(at, word)| (at, fold(&word.written))).unzip();
        let found = spelling::candidates(self.index, &words, self.analyzer)?;
        let mut alike = vec![Vec::new(); asked.len()];
        for (at, found) in places.into_iter().zip(found) {
            if let Some(place) = alike.get_mut(at) {
                *place = found;
            }
        }
        Ok(alike)
    }

    /// The terms of function words of the question's language that are none in English.
    fn foreign_function_words(&self, understanding: &Understanding) -> Vec<String> {
        if !understanding.is_foreign() {
            return Vec::new();
        }
        let (plain, other): (Vec<&String>, Vec<&String>) = understanding
            .parts()
            .iter()
            .partition(|word| understanding.is_function_word(word));
        let stem = |word: &String| self.analyzer.stem(word);
        let other: Vec<String> = other.into_iter().map(stem).collect();
        let plain = plain.into_iter().map(stem);
        plain.filter(|term| !other.contains(term)).collect()
    }

    /// The words that may name something: neither function words nor numbers nor parts of values.
    fn content(
        &self,
        understanding: &Understanding,
        values: &[ValueHit],
        own: &[String],
        known: &[bool],
    ) -> Vec<ContentWord> {
        let meant = values.iter().filter(|hit| hit.similarity >= 1.0);
        let mut value_words: Vec<String> = meant.flat_map(|hit| split(&hit.value)).collect();
        value_words.extend(understanding.quoted().into_iter().flat_map(split));
        let mut content: Vec<ContentWord> = Vec::new();
        for (folded, written) in split_as_written(understanding.text()) {
            let names_nothing = understanding.is_function_word(&folded)
                || folded.chars().count() < SHORTEST
                || folded.chars().any(char::is_numeric)
                || value_words.contains(&folded);
            let term = self.analyzer.stem(&folded);
            let Some(place) = own.iter().position(|own| *own == term) else {
                continue;
            };
            if !names_nothing && !content.iter().any(|word| word.place == place) {
                let is_known = known.get(place).copied().unwrap_or(false);
                content.push(ContentWord {
                    place,
                    written,
                    is_known,
                });
            }
        }
        content
    }

    /// The candidates for near words of each of the words, each with its term.
    fn candidates(
        &self,
        embedder: &dyn Embedder,
        own: &[String],
        asked: &[&ContentWord],
    ) -> Result<Vec<Vec<(String, NearWord)>>, Error> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<&str> = asked.iter().map(|word| word.written.as_str()).collect();
        let vectors = embedder.embed(&texts, Purpose::Question)?;
        let near = self.index.near_words(&vectors, near_words::ASKED)?;
        let own_term = |word: &ContentWord| own.get(word.place).map_or("", String::as_str);
        let candidates = asked
            .iter()
            .zip(near)
            .map(|(word, near)| near_words::candidates(near, own_term(word), self.analyzer));
        Ok(candidates.collect())
    }

    fn read_postings(&self, terms: &[String]) -> Result<Postings, Error> {
        let mut postings: Postings = terms
            .iter()
            .map(|term| (term.clone(), Vec::new()))
            .collect();
        if terms.is_empty() {
            return Ok(postings);
        }
        for segment in self.index.postings(Collection::Schema, terms)? {
            let of_term = terms
                .get(segment.term)
                .and_then(|term| postings.get_mut(term));
            if let Some(segments) = of_term {
                segments.push(segment.bytes);
            }
        }
        Ok(postings)
    }

    /// Whether a table that the caller may read has each of the terms. Those that only other tables have count
    /// as unknown, so that nothing shows that they are there.
    fn readable_terms(
        &self,
        terms: &[String],
        postings: &Postings,
        admission: &mut Admission<'_>,
    ) -> Result<Vec<bool>, Error> {
        let items = |term: &String| -> Vec<u32> {
            let segments = postings.get(term).into_iter().flatten();
            let stored = segments.flat_map(|bytes| postings::items(bytes));
            let stored = stored.filter(|item| !self.overlay.replaces(*item));
            self.overlay.items_with(term).chain(stored).collect()
        };
        let items: Vec<Vec<u32>> = terms.iter().map(items).collect();
        let mut readable = vec![false; terms.len()];
        for count in TABLES_LOOKED_AT {
            let open = items.iter().zip(&readable).filter(|(_, known)| !**known);
            let open: Vec<u32> = open
                .flat_map(|(items, _)| items.iter().take(count).copied())
                .collect();
            admission.admit(&open)?;
            for (items, known) in items.iter().zip(&mut readable) {
                let mut first = items.iter().take(count);
                *known |= first.any(|item| admission.may_read(*item));
            }
        }
        Ok(readable)
    }
}

/// The postings of the terms, as they were read.
fn segments_of(terms: &[String], postings: &mut Postings) -> Vec<PostingSegment> {
    let segments = terms.iter().enumerate().flat_map(|(term, text)| {
        let segments = postings.remove(text).unwrap_or_default();
        segments
            .into_iter()
            .map(move |bytes| PostingSegment { term, bytes })
    });
    segments.collect()
}
