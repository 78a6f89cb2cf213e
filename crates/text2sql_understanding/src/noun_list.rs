//! The nouns of `nouns.txt`, by which words that mean the same are known.

use std::collections::HashMap;
use std::sync::LazyLock;

use text2sql_language::german::nouns;
use text2sql_language::words::stem;

/// The lines of a list of words; `#` begins a comment.
pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The stem of each noun with the first word of its line.
pub(crate) static NOUN_OF: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    let mut of: HashMap<String, &str> = HashMap::new();
    for line in lines(include_str!("nouns.txt")) {
        let mut words = line.split([' ', '|']).filter(|word| !word.is_empty());
        let Some(first) = words.next() else {
            continue;
        };
        for word in std::iter::once(first).chain(words) {
            of.entry(stem(word)).or_insert(first);
            of.entry(word.to_lowercase()).or_insert(first);
        }
    }
    of
});

/// The English noun for a German one, as it is written in `nouns.txt`.
pub(crate) fn english_noun(word: &str) -> Option<&'static str> {
    let known = NOUN_OF.get(word).copied();
    known.or_else(|| nouns::noun(word)?.english.first().copied())
}
