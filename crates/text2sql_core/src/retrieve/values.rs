//! Links phrases of a question to real values of the database, and tells whether a literal occurs.
//!
//! A value is stored under a few keys, made by [`keys`]; a phrase looks for its own keys. So case,
//! accents, punctuation, plural and initials are settled by equality, and only typos need a
//! similarity search.

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
