//! Links phrases of a question to real values of the database, and tells whether a literal occurs.
//!
//! A value is stored under a few keys, made by [`keys`]; a phrase looks for its own keys. So case,
//! accents, punctuation, plural and initials are settled by equality, and only typos need a
//! similarity search.

use super::index::KnownValue;
use super::words::{Analyzer, fold};

/// Longest value that is indexed, in characters: longer ones are text to read, not names to say.
pub const MAX_VALUE_CHARS: usize = 100;

/// A part of the question that may name a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phrase {
    /// As it stands in the question.
    pub text: String,
    /// The keys to look for; the first is the folded text, the one to compare by similarity.
    pub keys: Vec<String>,
    /// Whether only equal keys count: numbers, short words and the parts of longer phrases.
    pub exact_only: bool,
}

/// The keys under which a value is stored and a phrase is looked for, without repetition: the folded
/// text (case, accents and punctuation gone), its stems (plural), and for several words their
/// initials (`United States of America` is `usoa` and, function words left out, `usa`).
pub fn keys(text: &str, analyzer: &Analyzer) -> Vec<String> {
    let words: Vec<String> = fold(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    let mut keys: Vec<String> = Vec::new();
    let mut add = |key: String| {
        if !key.is_empty() && !keys.contains(&key) {
            keys.push(key);
        }
    };
    add(words.join(" "));
    let stems: Vec<_> = words.iter().map(|word| analyzer.stem(word)).collect();
    add(stems.join(" "));
    let initials = |words: &mut dyn Iterator<Item = &String>| -> String {
        words.filter_map(|word| word.chars().next()).collect()
    };
    if words.len() > 1 && words.len() <= 6 {
        add(initials(&mut words.iter()));
        let content = |word: &&String| !super::words::is_function_word(word);
        let short = initials(&mut words.iter().filter(content));
        if short.chars().count() > 1 {
            add(short);
        }
    }
    keys
}

/// Least similarity of a key that counts as near: the usual threshold of `pg_trgm` is 0.3, at which
/// short names are near to everything.
pub const LEAST_SIMILARITY: f32 = 0.45;

/// Most values that are offered for one that does not occur.
const MOST_NEAREST: usize = 5;

/// How alike two keys are, as `pg_trgm` measures it: shared trigrams of all trigrams, each word with
/// two blanks before and one behind.
pub fn similarity(one: &str, other: &str) -> f32 {
    let (one, other) = (trigrams(one), trigrams(other));
    let shared = one
        .iter()
        .filter(|trigram| other.binary_search(trigram).is_ok())
        .count();
    let all = one.len() + other.len() - shared;
    if all == 0 {
        0.0
    } else {
        shared as f32 / all as f32
    }
}

fn trigrams(text: &str) -> Vec<[char; 3]> {
    let mut trigrams = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        let padded: Vec<char> = format!("  {word} ").chars().collect();
        trigrams.extend(
            padded
                .windows(3)
                .filter_map(|window| <[char; 3]>::try_from(window).ok()),
        );
    }
    trigrams.sort_unstable();
    trigrams.dedup();
    trigrams
}

/// Looks a literal up among all values of a column.
pub fn look_up(known: &[&str], value: &str, analyzer: &Analyzer) -> KnownValue {
    if known.contains(&value) {
        return KnownValue {
            occurs: true,
            nearest: Vec::new(),
        };
    }
    let wanted = keys(value, analyzer);
    let mut near: Vec<(f32, &str)> = known
        .iter()
        .filter_map(|candidate| {
            let candidate_keys = keys(candidate, analyzer);
            let alike = if candidate_keys.iter().any(|key| wanted.contains(key)) {
                1.0
            } else {
                similarity(candidate_keys.first()?, wanted.first()?)
            };
            (alike > 0.0).then_some((alike, *candidate))
        })
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    KnownValue {
        occurs: false,
        nearest: near
            .into_iter()
            .take(MOST_NEAREST)
            .map(|(_, value)| value.to_owned())
            .collect(),
    }
}
