//! Cuts words that are written together.
//!
//! The most likely way to cut is found by dynamic programming over the logarithms of the
//! probabilities of the parts (a unigram model: Peter Norvig, "Natural Language Corpus Data", in: Beautiful
//! Data, 2009). The probabilities are rough classes: a word of the catalog is more likely than a usual
//! abbreviation, that more than a common English word, and that more than letters without a meaning. A word
//! is cut only where the parts are more likely than one word that nobody knows.

use super::{abbreviations, english_words, vocabulary::Vocabulary};
use crate::terms::{Analyzer, is_function_word};

/// Costs are negative logarithms of probabilities, up to a constant.
const IN_CATALOG: f64 = 6.5;
const SHORT_IN_CATALOG: f64 = 8.5;
const RARE_SHORT_IN_CATALOG: f64 = 9.5;
const STEM_IN_CATALOG: f64 = 7.5;
const ABBREVIATION: f64 = 7.5;
const SHORT_ABBREVIATION: f64 = 9.5;
const PREFIX: f64 = 4.0;
const LAST_WORD: f64 = 5.0;
const SHORT_LAST_WORD: f64 = 7.0;
const JOINING_WORD: f64 = 4.5;
/// An English word of each level.
const ENGLISH: [f64; 3] = [8.0, 10.0, 12.0];
/// Added for English words of three letters, which occur in other words by chance.
const SHORT_ENGLISH: [f64; 3] = [2.0, 4.0, 6.0];
/// Letters without a meaning: each letter makes them less likely.
const UNKNOWN: f64 = 7.0;
const UNKNOWN_LETTER: f64 = 1.5;

/// Maximum length of a word that is cut, in bytes; names have at most 63.
const LONGEST: usize = 63;
/// Minimum length of a word that is cut.
const SHORTEST: usize = 5;

/// Words between two parts or at the end, such as `qtyonhand` and `createdby`.
const JOINING_WORDS: &[&str] = &["at", "by", "for", "from", "in", "of", "on", "per", "to"];

/// What names often end with: the form of a value, or which of several values it is.
const LAST_WORDS: &[&str] = &[
    "amt", "cd", "cnt", "code", "count", "date", "dt", "id", "key", "name", "nbr", "new", "nm",
    "no", "nr", "num", "number", "old", "qty", "time", "type", "year",
];

/// Maximum length of a beginning without a meaning and without vowels before any known word: `sbtransaction`.
const LONGEST_MARK: usize = 3;
/// Minimum length of the word that makes letters without a meaning believable.
const SHORTEST_BESIDE_UNKNOWN: usize = 5;

/// A part of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'w> {
    pub(super) text: &'w str,
    pub(super) kind: Kind,
}

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word or an abbreviation.
    Known,
    /// A prefix that says what kind of object it is.
    Prefix,
    /// A word of the grammar.
    Joining,
    /// Letters without a known meaning.
    Unknown,
}

/// The parts of a word; `None` for a word that is not cut.
pub(super) fn segment<'w>(
    word: &'w str,
    vocabulary: &Vocabulary,
    analyzer: &Analyzer,
) -> Option<Vec<Piece<'w>>> {
    let letters = word.chars().count();
    if !(SHORTEST..=LONGEST).contains(&letters) || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    if english_words::level(word).is_some() || abbreviations::is_abbreviation(word) {
        return None;
    }
    let stems = Stems {
        analyzer,
        whole: analyzer.stem(word),
    };
    let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).collect();
    let ends: Vec<usize> = starts.iter().copied().skip(1).chain([word.len()]).collect();
    let whole = UNKNOWN + UNKNOWN_LETTER * letters as f64;
    // The best way to each place, with and without letters of no meaning.
    let mut best: Vec<[Option<Way>; 2]> = vec![[None, None]; letters + 1];
    if let Some(place) = best.first_mut() {
        *place = [Some(Way::default()), None];
    }
    for from in 0..letters {
        for used in [0, 1] {
            let Some(way) = best
                .get(from)
                .and_then(|ways| ways.get(used).cloned().flatten())
            else {
                continue;
            };
            for to in from + 1..=letters {
                let is_whole = from == 0 && to == letters;
                let (Some(&start), Some(&end)) = (starts.get(from), ends.get(to - 1)) else {
                    continue;
                };
                let Some(text) = word.get(start..end).filter(|_| !is_whole) else {
                    continue;
                };
                let place = Place {
                    is_first: from == 0,
                    is_last: to == letters,
                    length: to - from,
                };
                let known = known(text, place, vocabulary, &stems);
                let unknown = (used == 0 && (place.is_first || place.is_last) && place.length >= 2)
                    .then_some((
                        Kind::Unknown,
                        UNKNOWN + UNKNOWN_LETTER * place.length as f64,
                    ));
                for (kind, cost) in known.into_iter().chain(unknown) {
                    let used = usize::from(used == 1 || kind == Kind::Unknown);
                    let cost = way.cost + cost;
                    let target = best.get_mut(to).and_then(|ways| ways.get_mut(used));
                    if let Some(target) = target
                        && target.as_ref().is_none_or(|known| cost < known.cost)
                    {
                        let mut pieces = way.pieces.clone();
                        pieces.push((start, end, kind));
                        *target = Some(Way { cost, pieces });
                    }
                }
            }
        }
    }
    let last = best.pop()?;
    let way = last
        .into_iter()
        .flatten()
        .min_by(|one, other| one.cost.total_cmp(&other.cost))?;
    if way.cost >= whole {
        return None;
    }
    let pieces = way.pieces.into_iter();
    let pieces = pieces.filter_map(|(start, end, kind)| {
        let text = word.get(start..end)?;
        Some(Piece { text, kind })
    });
    let pieces: Vec<Piece<'w>> = pieces.collect();
    is_believable(&pieces, vocabulary).then_some(pieces)
}

/// Whether a word of the catalog is beside the letters without a meaning, or they are a mark before a long word.
/// Otherwise most words of other languages would be cut where they contain an English one.
fn is_believable(pieces: &[Piece<'_>], vocabulary: &Vocabulary) -> bool {
    let Some(unknown) = pieces.iter().position(|piece| piece.kind == Kind::Unknown) else {
        return true;
    };
    let is_mark = |piece: &Piece<'_>| {
        unknown == 0
            && piece.text.chars().count() <= LONGEST_MARK
            && !piece.text.chars().any(|letter| "aeiou".contains(letter))
    };
    let marked = pieces.get(unknown).is_some_and(is_mark);
    pieces.iter().any(|piece| {
        let is_long = piece.text.chars().count() >= SHORTEST_BESIDE_UNKNOWN;
        piece.kind == Kind::Known && is_long && (marked || vocabulary.uses(piece.text) > 0)
    })
}

#[derive(Debug, Clone, Default)]
struct Way {
    cost: f64,
    pieces: Vec<(usize, usize, Kind)>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    is_first: bool,
    is_last: bool,
    length: usize,
}

/// Stems of parts of a word.
struct Stems<'a> {
    analyzer: &'a Analyzer,
    whole: String,
}

impl Stems<'_> {
    /// Whether the catalog has a word with this stem. The stem of the whole word is none of its parts.
    fn are_of_other_word(&self, text: &str, vocabulary: &Vocabulary) -> bool {
        let stem = self.analyzer.stem(text);
        stem != self.whole && vocabulary.has_stem(&stem)
    }
}

fn known(
    text: &str,
    place: Place,
    vocabulary: &Vocabulary,
    stems: &Stems<'_>,
) -> Option<(Kind, f64)> {
    if place.is_first && abbreviations::PREFIXES.contains(&text) {
        return Some((Kind::Prefix, PREFIX));
    }
    let of_abbreviation = || {
        let cost = match place.length {
            0..2 => return None,
            // Two letters occur in any word: only at its ends.
            2 if !place.is_first && !place.is_last => return None,
            2 => SHORT_ABBREVIATION,
            _ => ABBREVIATION,
        };
        abbreviations::is_abbreviation(text).then_some((Kind::Known, cost))
    };
    if place.is_last && LAST_WORDS.contains(&text) {
        let cost = if place.length > 2 {
            LAST_WORD
        } else {
            SHORT_LAST_WORD
        };
        return Some((Kind::Known, cost));
    }
    if is_function_word(text) {
        let joins = !place.is_first && JOINING_WORDS.contains(&text);
        return joins.then_some((Kind::Joining, JOINING_WORD));
    }
    let in_catalog = || {
        let uses = vocabulary.uses(text);
        let cost = match place.length {
            0..3 => return None,
            3 if uses == 0 => return None,
            3 if uses == 1 => RARE_SHORT_IN_CATALOG,
            3 => SHORT_IN_CATALOG,
            _ if uses > 0 => IN_CATALOG,
            4 => return None,
            _ if stems.are_of_other_word(text, vocabulary) => STEM_IN_CATALOG,
            _ => return None,
        };
        Some((Kind::Known, cost))
    };
    let english = || {
        let level = usize::from(english_words::level(text)?.checked_sub(1)?);
        let short = match place.length {
            0..=3 => *SHORT_ENGLISH.get(level)?,
            _ => 0.0,
        };
        Some((Kind::Known, ENGLISH.get(level)? + short))
    };
    let all = [in_catalog(), of_abbreviation(), english()];
    all.into_iter()
        .flatten()
        .min_by(|one, other| one.1.total_cmp(&other.1))
}
