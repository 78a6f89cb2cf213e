//! Words that are the same but for their ending.

use crate::understanding::lower_words;
use crate::words::stem;

/// Whether two terms are the same words, whatever their endings: "recent" and "recently", "kürzlich" and "kürzliche".
pub fn are_same(one: &str, another: &str) -> bool {
    let (one, another) = (lower_words(one), lower_words(another));
    begins_with(&one, &another) && one.len() == another.len()
}

/// Whether the words begin with those of a name.
pub(super) fn begins_with(words: &[String], name: &[String]) -> bool {
    let pairs = || words.iter().zip(name);
    !name.is_empty() && words.len() >= name.len() && pairs().all(|(word, own)| is_same(word, own))
}

pub(super) fn is_same(word: &str, own: &str) -> bool {
    // Every word of a question is compared with every name: most differ in their first letter, which no stem changes.
    if begins_otherwise(word, own) {
        return false;
    }
    word == own || stem(word) == stem(own) || plain(word) == plain(own)
}

fn begins_otherwise(word: &str, own: &str) -> bool {
    let first = |word: &str| {
        let byte = word.bytes().next();
        byte.filter(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    matches!((first(word), first(own)), (Some(one), Some(another)) if one != another)
}

/// A German word without the ending of its case.
fn plain(word: &str) -> &str {
    /// Shorter words would lose what they mean: "den" is not "d".
    const SHORTEST: usize = 5;
    ["en", "em", "er", "es", "e", "s"]
        .iter()
        .find_map(|ending| word.strip_suffix(ending))
        .filter(|rest| rest.chars().count() >= SHORTEST)
        .unwrap_or(word)
}
