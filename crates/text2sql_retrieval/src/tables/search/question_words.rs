//! The words of a question: which of them the catalog has, and near words for the others.

use std::collections::{HashMap, HashSet};

use super::inputs::Search;
use crate::lexical::near_words;
use crate::lexical::search_terms::SearchTerms;
use crate::lexical::term_matches::Matches;
use crate::ranking::readable_tables::Admission;
use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Collection, NearWord, PostingSegment, ValueHit};
use text2sql_domain::ports::{Embedder, Purpose};
use text2sql_language::names::name_reader::NameReader;
use text2sql_language::names::vocabulary::Vocabulary;
use text2sql_language::plain_words::NamesNothing;
use text2sql_language::terms::{fold, split, split_as_written};
use text2sql_language::understanding::Understanding;

/// Letters of the shortest word that is replaced by near words: shorter ones are codes and remains of words.
const SHORTEST: usize = 3;

/// How many words of a question count by their meaning at most. A question that tells why it is asked is mostly about
/// what no table is called by: of 200 such questions over 450 cryptic tables, 71 % had all their tables among the first
/// 10 without this bound, 76 % with it, and 80 % by the embedder `hash`.
const MOST_BY_MEANING: f64 = 5.0;

/// A word that is a value, too, is read as the words of the catalog that mean about the same, not as what merely belongs to
/// it: "movies" as film, "germany" not as country.
const NAMES_A_THING: f32 = 0.75;

/// How sure it is that a word is what it is read as, as a similarity.
const READ_AS_NAME: f32 = 0.8;

/// A near word is shown as what a word was read as if its cosine is at most this much below the best.
const SHOWN_BELOW_BEST: f32 = 0.1;

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
    /// For each term of the question, whether a table that the caller may read has it or a near word.
    pub(super) readable: Vec<bool>,
    /// The words that may name something.
    content: Vec<ContentWord>,
}

/// Words of the catalog for one word of the question, best first.
pub(super) struct Candidates {
    /// Place of the word among the terms of the question.
    place: usize,
    written: String,
    /// Each with its term, and how much it counts.
    pub(super) words: Vec<(String, NearWord, f64)>,
}

/// A word that may name something in the schema.
#[derive(Debug)]
struct ContentWord {
    /// Its place among the terms of the question.
    place: usize,
    folded: String,
    written: String,
    /// Whether a table that the caller may read has it.
    is_known: bool,
    /// Whether a value is spelled so, which the question does not set apart: "movies" may be a genre or the films.
    may_be_value: bool,
}

impl Searched {
    /// The share of the words that the catalog does not have.
    fn unknown(&self) -> f64 {
        unknown_share(&self.content)
    }

    /// The words that name something for sure.
    fn naming(&self) -> impl Iterator<Item = &ContentWord> {
        self.content.iter().filter(|word| !word.may_be_value)
    }

    /// The words, folded, that were read as others, with their similarity to the best of them.
    pub(super) fn near_words(&self) -> Vec<(String, f64)> {
        let mut near: Vec<(String, f64)> = Vec::new();
        for reading in &self.readings {
            let written = fold(&reading.written);
            if !near.iter().any(|(known, _)| *known == written) {
                near.push((written, f64::from(reading.near.similarity)));
            }
        }
        near
    }

    /// How much the similarity of the whole question counts in the re-ranker, where words have these weights.
    ///
    /// As much as the words that may name something, [`MOST_BY_MEANING`] of them at most, and up to twice as much the
    /// fewer of them the catalog has: meaning fills what words leave open.
    pub(super) fn similarity_weight(&self, embedder: &dyn Embedder, weights: &[f64]) -> f64 {
        if !embedder.knows_meaning() {
            return embedder.weight() * weights.iter().sum::<f64>();
        }
        let of_words = self.naming().filter_map(|word| weights.get(word.place));
        let of_words = of_words.sum::<f64>() * share_by_meaning(self.naming().count());
        embedder.weight() * of_words * (1.0 + self.unknown())
    }

    /// The mean weight of the words that may name something.
    pub(super) fn word_weight(&self, weights: &[f64]) -> f64 {
        let of_words = self.naming().filter_map(|word| weights.get(word.place));
        of_words.sum::<f64>() / self.naming().count().max(1) as f64
    }
}

/// What each of so many words may count by meaning: all of them together no more than a few.
fn share_by_meaning(words: usize) -> f64 {
    (MOST_BY_MEANING / words.max(1) as f64).min(1.0)
}

fn unknown_share(content: &[ContentWord]) -> f64 {
    let naming = || content.iter().filter(|word| !word.may_be_value);
    let unknown = naming().filter(|word| !word.is_known).count();
    unknown as f64 / naming().count().max(1) as f64
}

/// Packed postings by term.
pub(super) type Postings = HashMap<String, Vec<Vec<u8>>>;

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
        let unknown = unknown_share(&content);
        let embedder = self
            .embedder
            .filter(|_| self.config.vectors && self.config.word_vectors);
        let embedder = embedder.filter(|embedder| embedder.knows_meaning());
        let is_foreign = understanding.is_foreign();
        // A word of another language is neither misspelt nor abbreviated, if its meaning is known.
        let mut spelled = Vec::new();
        if self.config.spelling && (embedder.is_none() || !is_foreign) {
            spelled.extend(self.misspelt(&content)?);
            spelled.extend(self.read_as_names(&content));
        }
        let mut chosen = self.readable_candidates(spelled, &mut postings, admission)?;
        chosen.retain(|candidate| !candidate.words.is_empty());
        if let Some(embedder) = embedder {
            // The vector of a misspelt or abbreviated word means little.
            let is_asked = |word: &&ContentWord| {
                (is_foreign || !word.is_known)
                    && !chosen.iter().any(|known| known.place == word.place)
            };
            let asked: Vec<&ContentWord> = content.iter().filter(is_asked).collect();
            let near =
                self.near_in_meaning(embedder, (understanding.text(), &own), &asked, unknown)?;
            chosen.extend(self.readable_candidates(near, &mut postings, admission)?);
        }
        let mut others = Vec::new();
        let mut readings = Vec::new();
        let mut readable = known;
        for candidate in chosen {
            if let Some(known) = readable.get_mut(candidate.place) {
                *known |= !candidate.words.is_empty();
            }
            let best = candidate.words.iter().map(|(_, near, _)| near.similarity);
            let best = best.fold(0.0, f32::max);
            for (term, near, weight) in candidate.words {
                others.push((candidate.place, term.clone(), weight));
                if near.similarity >= best - SHOWN_BELOW_BEST {
                    readings.push(Reading {
                        written: candidate.written.clone(),
                        near,
                        term,
                    });
                }
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
            readable,
            content,
        })
    }

    /// The terms of function words of the question's language that are not function words in English.
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

    /// The words that may name something: neither function words nor numbers nor what is set apart as a value.
    fn content(
        &self,
        understanding: &Understanding,
        values: &[ValueHit],
        own: &[String],
        known: &[bool],
    ) -> Vec<ContentWord> {
        let meant = values.iter().filter(|hit| hit.similarity >= 1.0);
        let meant = meant.map(|hit| split(&hit.value));
        let (of_one, of_several): (Vec<_>, Vec<_>) = meant.partition(|words| words.len() == 1);
        let of_one: HashSet<String> = of_one.into_iter().flatten().collect();
        let mut value_words: HashSet<String> = of_several.into_iter().flatten().collect();
        value_words.extend(understanding.quoted().into_iter().flat_map(split));
        let plain = NamesNothing::of(understanding.words().iter().map(String::as_str));
        let mut content: Vec<ContentWord> = Vec::new();
        for (folded, written) in split_as_written(understanding.text()) {
            let names_nothing = understanding.is_function_word(&folded)
                || folded.chars().count() < SHORTEST
                || folded.chars().any(char::is_numeric)
                || value_words.contains(&folded);
            let may_be_value = of_one.contains(&folded);
            let is_set_apart = may_be_value && written.starts_with(char::is_uppercase);
            let names_nothing = names_nothing || is_set_apart;
            let term = self.analyzer.stem(&folded);
            let Some(place) = own.iter().position(|own| *own == term) else {
                continue;
            };
            let is_known = known.get(place).copied().unwrap_or(false);
            let names_nothing = names_nothing || (!is_known && plain.is_number(&folded));
            if !names_nothing && !content.iter().any(|word| word.place == place) {
                content.push(ContentWord {
                    place,
                    folded,
                    written,
                    is_known,
                    may_be_value,
                });
            }
        }
        content
    }

    /// The words of the catalog that words of the question, which it does not have, are misspellings of.
    fn misspelt(&self, content: &[ContentWord]) -> Result<Vec<Candidates>, Error> {
        let is_asked = |word: &&ContentWord| {
            !word.is_known && !word.may_be_value && word.folded.chars().count() > SHORTEST
        };
        let asked: Vec<&ContentWord> = content.iter().filter(is_asked).collect();
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let words: Vec<String> = asked.iter().map(|word| word.folded.clone()).collect();
        let similar = self.index.similar_words(&words, near_words::ASKED)?;
        let candidates = asked.iter().zip(similar).map(|(word, similar)| {
            let meant = near_words::misspelt(similar, &word.folded, self.analyzer).into_iter();
            Candidates {
                place: word.place,
                written: word.written.clone(),
                words: meant
                    .map(|(term, near)| (term, near, near_words::MISSPELT))
                    .collect(),
            }
        });
        Ok(candidates.collect())
    }

    /// What words that the catalog does not have are read as, like the words of a name: an abbreviation, or
    /// words that are written together.
    fn read_as_names(&self, content: &[ContentWord]) -> Vec<Candidates> {
        let vocabulary = Vocabulary::default();
        let reader = NameReader::new(&vocabulary, self.analyzer);
        let unknown = content
            .iter()
            .filter(|word| !word.is_known && !word.may_be_value);
        let candidates = unknown.map(|word| {
            let reading = reader.read(&word.folded);
            let words = reading.further_words().map(|read| {
                let near = NearWord {
                    word: read.to_owned(),
                    similarity: READ_AS_NAME,
                };
                (self.analyzer.stem(read), near, f64::from(READ_AS_NAME))
            });
            Candidates {
                place: word.place,
                written: word.written.clone(),
                words: words.collect(),
            }
        });
        candidates
            .filter(|candidates| !candidates.words.is_empty())
            .collect()
    }

    /// The words of the catalog that are near in meaning.
    fn near_in_meaning(
        &self,
        embedder: &dyn Embedder,
        (question, own): (&str, &[String]),
        asked: &[&ContentWord],
        unknown: f64,
    ) -> Result<Vec<Candidates>, Error> {
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let mut texts: Vec<&str> = asked.iter().map(|word| word.written.as_str()).collect();
        // With the question, whose vector is needed later: an endpoint is asked once.
        texts.push(question);
        let mut vectors = embedder.embed(&texts, Purpose::Question)?;
        vectors.truncate(asked.len());
        let near = self.index.near_words(&vectors, near_words::ASKED)?;
        let share = share_by_meaning(asked.len());
        let candidates = asked.iter().zip(near).map(|(word, mut near)| {
            let own = own.get(word.place).map_or("", String::as_str);
            if word.may_be_value {
                near.retain(|near| near.similarity >= NAMES_A_THING);
            }
            let near = near_words::candidates(near, own, self.analyzer).into_iter();
            let weight = |near: &NearWord| {
                share * near_words::weight(near.similarity, unknown, word.is_known)
            };
            Candidates {
                place: word.place,
                written: word.written.clone(),
                words: near
                    .map(|(term, near)| {
                        let weight = weight(&near);
                        (term, near, weight)
                    })
                    .collect(),
            }
        });
        Ok(candidates.collect())
    }

    pub(super) fn read_postings(&self, terms: &[String]) -> Result<Postings, Error> {
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
