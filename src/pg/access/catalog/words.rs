//! Words of a question as LIKE patterns over names.

use aho_corasick::AhoCorasick;
use text2sql_domain::error::{Error, failure};

/// Minimum length of a word that is matched anywhere in a name: a shorter one would match within others (`age`
/// in `package`, `tax` in `syntax`) and must match the beginning of a part of the name.
const LETTERS_FOR_ANYWHERE: usize = 4;

/// Maximum number of words: each costs a pass over the names, and longer questions repeat themselves.
const MAX_WORDS: usize = 24;

/// Words that are looked for in thousands of names: all of them in one pass over each (Aho and Corasick 1975).
pub(super) struct WordSearch(AhoCorasick);

impl WordSearch {
    /// A search for these words.
    pub(super) fn of(words: &[String]) -> Result<Self, Error> {
        AhoCorasick::new(words).map(Self).map_err(|error| {
            failure!(Internal, "could not prepare the search for the words").with_source(error)
        })
    }

    /// How many of the words are in the text.
    pub(super) fn count(&self, text: &str) -> usize {
        let mut found = vec![false; self.0.patterns_len()];
        for word in self.0.find_overlapping_iter(text) {
            if let Some(is_found) = found.get_mut(word.pattern().as_usize()) {
                *is_found = true;
            }
        }
        found.into_iter().filter(|is_found| *is_found).count()
    }

    /// Whether one of the words is in the text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

/// The patterns of `sql/queries/find_forbidden.sql`, and what `matching` looks for.
pub(super) struct Patterns {
    /// One for each word, over the name in lower case with its parts parted by `_`.
    pub(super) exact: Vec<String>,
    /// Over the name as stored, matching at least what `exact` matches.
    pub(super) sieve: Vec<String>,
    /// The search string of `exact`, without wildcards.
    pub(super) needles: Vec<String>,
}

impl Patterns {
    /// The patterns of the words in lower case; `None` when all words are too short.
    pub(super) fn of(words: &[String]) -> Option<Self> {
        let mut patterns = Self {
            exact: Vec::new(),
            sieve: Vec::new(),
            needles: Vec::new(),
        };
        for word in words.iter().take(MAX_WORDS) {
            let word = word.trim().to_lowercase();
            let word = word.as_str();
            let letters = word.chars().count();
            if letters < 2 && word.is_ascii() {
                continue;
            }
            // Other scripts need fewer letters: a word often has only two.
            if letters >= LETTERS_FOR_ANYWHERE || !word.is_ascii() {
                patterns.exact.push(format!("%{}%", escape(word)));
                patterns.needles.push(word.to_owned());
            } else {
                patterns.exact.push(format!("%\\_{}%", escape(word)));
                patterns.needles.push(format!("_{word}"));
            }
            let mut rest = word.chars();
            let first = rest.next().map(|c| c.to_uppercase().to_string());
            let rest = rest.as_str();
            // Without its first letter a word matches both `order` and `Order` with one pattern.
            if letters >= LETTERS_FOR_ANYWHERE {
                patterns.sieve.push(format!("%{}%", escape(rest)));
                patterns
                    .sieve
                    .push(format!("%{}%", escape(&rest.to_uppercase())));
            } else {
                let capital = first.unwrap_or_default() + rest;
                patterns.sieve.push(format!("%{}%", escape(word)));
                patterns.sieve.push(format!("%{}%", escape(&capital)));
                patterns
                    .sieve
                    .push(format!("%{}%", escape(&word.to_uppercase())));
            }
        }
        (!patterns.exact.is_empty()).then_some(patterns)
    }
}

/// Escapes the wildcards of LIKE.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}
