//! Finds the words that an unusual abbreviation may stand for, by its shape: people drop vowels first
//! (`hdr`, header), then the end of a word (`stu`, student), and some consonants of long words (`bldg`,
//! building).

use super::{english_words, vocabulary::Vocabulary};

/// Costs of letters that the abbreviation lacks.
const VOWEL: f64 = 0.1;
const DOUBLED: f64 = 0.1;
/// Letters that are hardly heard before or after another consonant.
const SOFT: f64 = 0.5;
const CONSONANT: f64 = 1.0;
/// An end that is cut off, and each of its letters.
const END: f64 = 0.3;
const END_LETTER: f64 = 0.15;
/// A word of the catalog is likelier than any other, and a common one likelier than a rare one.
const NOT_IN_CATALOG: f64 = 0.4;
const EACH_LEVEL: f64 = 0.3;

/// The maximum cost, for each letter of the abbreviation.
const MAX_COST: f64 = 0.45;
/// Words that cost this much more than the best one are not meant.
const MARGIN: f64 = 0.35;
/// More words than this are a guess.
const MAX_WORDS: usize = 3;

/// Minimum length of an abbreviation of a word of the catalog.
const SHORTEST: usize = 3;
/// Minimum length of an abbreviation of any English word.
const SHORTEST_OF_ENGLISH: usize = 4;
/// Longer words abbreviate nothing.
const LONGEST: usize = 10;
/// Maximum length of the beginning of a word that stands for it, if the catalog does not know the word: `univ`,
/// but not `paris` for a parishioner.
const LONGEST_BEGINNING: usize = 4;

/// The words that `short` may abbreviate, most likely first; empty if there are too many.
pub(super) fn long_forms(short: &str, vocabulary: &Vocabulary) -> Vec<String> {
    let length = short.chars().count();
    let Some(first) = short.chars().next() else {
        return Vec::new();
    };
    let is_plain = short.bytes().all(|byte| byte.is_ascii_lowercase());
    if !(SHORTEST..=LONGEST).contains(&length) || !is_plain {
        return Vec::new();
    }
    // Three letters with a vowel are the beginning of one word, or of too many.
    let is_beginning_only = length == SHORTEST && short.bytes().skip(1).any(is_vowel);
    let limit = MAX_COST * length as f64;
    let mut found: Vec<(f64, &str)> = Vec::new();
    for word in vocabulary.beginning_with(first) {
        // Names hold abbreviations as well: what stands for something else explains nothing.
        if vocabulary.uses_in_texts(word) == 0 && english_words::level(word).is_none() {
            continue;
        }
        if is_beginning_only && !word.starts_with(short) {
            continue;
        }
        found.extend(cost(short, word).map(|cost| (cost, word)));
    }
    if length >= SHORTEST_OF_ENGLISH {
        let is_end_cut_off = |word: &str| word.starts_with(short);
        let ends_in_vowel = short.bytes().last().is_some_and(is_vowel);
        for (word, level) in english_words::beginning_with(first) {
            if is_end_cut_off(word) && (length > LONGEST_BEGINNING || ends_in_vowel) {
                continue;
            }
            let rare = NOT_IN_CATALOG + EACH_LEVEL * f64::from(level - 1);
            found.extend(cost(short, word).map(|cost| (cost + rare, word)));
        }
    }
    found.retain(|(cost, _)| *cost <= limit);
    found.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(other.1)));
    let best = found.first().map_or(0.0, |(cost, _)| *cost);
    found.retain(|(cost, _)| *cost <= best + MARGIN);
    let mut words: Vec<String> = Vec::new();
    for (_, word) in found {
        // Forms of one word are one guess.
        if !words.iter().any(|known| are_forms(known, word)) {
            words.push(word.to_owned());
        }
    }
    if words.len() > if is_beginning_only { 1 } else { MAX_WORDS } {
        words.clear();
    }
    words
}

/// Whether one is the beginning of the other, up to an ending.
fn are_forms(one: &str, other: &str) -> bool {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b);
    let same = same.count();
    same >= 4 && same + 3 >= one.len().max(other.len())
}

/// What has to be left out of `long` to write `short`; `None` if that is impossible. Both begin with the same
/// letter.
fn cost(short: &str, long: &str) -> Option<f64> {
    if long.len() < short.len() + 2 || !long.is_ascii() {
        return None;
    }
    let (short, long) = (short.as_bytes(), long.as_bytes());
    // After the beginning that both share, an abbreviation has no vowels: `dept`, but not `latin` for location.
    let shared = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let rest = short.get(shared..).unwrap_or_default();
    if rest.iter().any(|letter| is_vowel(*letter)) {
        return None;
    }
    let mut wanted = short.iter().copied().peekable();
    let mut cost = 0.0;
    let mut waiting = 0.0;
    let mut since = 0usize;
    let mut previous = 0u8;
    for &letter in long {
        if wanted.peek() == Some(&letter) {
            wanted.next();
            cost += waiting;
            (waiting, since) = (0.0, 0);
        } else {
            waiting += match letter {
                _ if letter == previous => DOUBLED,
                _ if is_vowel(letter) => VOWEL,
                b'h' | b'm' | b'n' | b'w' | b'y' => SOFT,
                _ => CONSONANT,
            };
            since += 1;
        }
        previous = letter;
    }
    if wanted.peek().is_some() {
        return None;
    }
    if since > 0 {
        // The end is cut off, or it is only a vowel or two.
        cost += waiting.min(END + END_LETTER * since as f64);
    }
    Some(cost)
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u')
}
