//! Finds the business terms in a question. A term or synonym matches word by word regardless of
//! inflection, or by its initials written as an abbreviation.

use std::collections::HashMap;

use text2sql_language::terms::{Analyzer, fold, is_function_word, split};
use text2sql_retrieval::values::similarity;

/// Maximum number of definitions for one question, so that they leave enough room for the schema in the
/// prompt.
pub const MAX_MATCHES: usize = 12;

/// Maximum length of a term, in words.
const MAX_WORDS: usize = 8;

/// Minimum length of initials: two letters are too often something else.
const MIN_INITIALS: usize = 3;

/// Minimum length of a term for similarity matching: shorter terms are similar to too many words.
const MIN_LETTERS: usize = 5;

/// Maximum number of consecutive words of a question that are compared with a term.
const MAX_SIMILAR_WORDS: usize = 3;

/// Minimum similarity of a term and words of the question, measured like `pg_trgm` without spaces, and
/// the length of their common prefix: "inactive" is not "active".
const MIN_SIMILARITY: f32 = 0.55;
const MIN_COMMON_PREFIX: usize = 3;

/// The business terms, indexed for matching.
pub struct Glossary {
    analyzer: Analyzer,
    /// Positions of the definitions, keyed by the stems of a term joined by spaces.
    by_phrase: HashMap<String, Vec<usize>>,
    /// Positions of the definitions, keyed by initials.
    by_initials: HashMap<String, Vec<usize>>,
    /// Each term without spaces, with the position of its definition.
    by_letters: Vec<(String, usize)>,
    /// Folded terms in scripts without spaces between words.
    unspaced: Vec<(String, usize)>,
}

impl Glossary {
    /// Indexes the term and synonyms of each definition, in the given order.
    pub fn new<'a, W>(terms: impl IntoIterator<Item = W>, analyzer: Analyzer) -> Self
    where
        W: IntoIterator<Item = &'a str>,
    {
        let mut glossary = Self {
            analyzer,
            by_phrase: HashMap::new(),
            by_initials: HashMap::new(),
            by_letters: Vec::new(),
            unspaced: Vec::new(),
        };
        for (place, words) in terms.into_iter().enumerate() {
            for word in words {
                glossary.add(word, place);
            }
        }
        glossary
    }

    fn add(&mut self, term: &str, place: usize) {
        if is_unspaced(term) {
            self.unspaced.push((fold(term), place));
            return;
        }
        let stems = self.stems(term);
        if stems.is_empty() {
            return;
        }
        let letters = split(term).concat();
        if letters.chars().count() >= MIN_LETTERS {
            self.by_letters.push((letters, place));
        }
        let initials: String = split(term)
            .iter()
            .filter_map(|word| word.chars().next())
            .collect();
        if initials.chars().count() >= MIN_INITIALS {
            self.by_initials.entry(initials).or_default().push(place);
        }
        self.by_phrase
            .entry(stems.join(" "))
            .or_default()
            .push(place);
    }

    /// Positions of the definitions used in the question, longest terms first.
    pub fn matches(&self, question: &str) -> Vec<usize> {
        let mut found: Vec<(usize, usize)> = Vec::new();
        let stems = self.stems(question);
        for start in 0..stems.len() {
            let longest = MAX_WORDS.min(stems.len() - start);
            for length in (1..=longest).rev() {
                let phrase = stems.get(start..start + length).unwrap_or_default();
                let places = self.by_phrase.get(&phrase.join(" "));
                found.extend(places.into_iter().flatten().map(|place| (length, *place)));
            }
        }
        // Only words in capitals count as abbreviations.
        for word in question.split(|c: char| !c.is_alphanumeric()) {
            if word.chars().count() >= MIN_INITIALS && word.chars().all(char::is_uppercase) {
                let places = self.by_initials.get(&fold(word));
                found.extend(places.into_iter().flatten().map(|place| (1, *place)));
            }
        }
        let folded = fold(question);
        let unspaced = self.unspaced.iter();
        found.extend(
            unspaced
                .filter(|(term, _)| folded.contains(term.as_str()))
                .map(|(term, place)| (term.chars().count(), *place)),
        );
        found.sort_by_key(|(length, place)| (usize::MAX - length, *place));
        let mut places: Vec<usize> = Vec::new();
        for (_, place) in found {
            if !places.contains(&place) && places.len() < MAX_MATCHES {
                places.push(place);
            }
        }
        places
    }

    /// Positions of the definitions with a term similar to words of the question, best first, without
    /// those in `used`.
    pub fn similar(&self, question: &str, used: &[usize]) -> Vec<usize> {
        if self.by_letters.is_empty() {
            return Vec::new();
        }
        let words: Vec<String> = split(question);
        let mut found: Vec<(f32, usize)> = Vec::new();
        for length in 1..=MAX_SIMILAR_WORDS {
            for window in words.windows(length) {
                let (Some(first), Some(last)) = (window.first(), window.last()) else {
                    continue;
                };
                let written = window.concat();
                if is_function_word(first)
                    || is_function_word(last)
                    || written.chars().count() < MIN_LETTERS
                {
                    continue;
                }
                for (letters, place) in &self.by_letters {
                    if begins_alike(letters, &written) && !used.contains(place) {
                        let likeness = similarity(letters, &written);
                        if likeness >= MIN_SIMILARITY {
                            found.push((likeness, *place));
                        }
                    }
                }
            }
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut places: Vec<usize> = Vec::new();
        for (_, place) in found {
            if !places.contains(&place) && places.len() < MAX_MATCHES {
                places.push(place);
            }
        }
        places
    }

    fn stems(&self, text: &str) -> Vec<String> {
        split(text)
            .iter()
            .map(|word| self.analyzer.stem(word))
            .collect()
    }
}

fn begins_alike(one: &str, other: &str) -> bool {
    one.chars()
        .take(MIN_COMMON_PREFIX)
        .eq(other.chars().take(MIN_COMMON_PREFIX))
}

/// Whether the term is in a script without spaces between words.
fn is_unspaced(term: &str) -> bool {
    let unspaced = |c: char| {
        matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
    };
    term.chars().any(unspaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expect: &[usize]) {
        let terms: [&[&str]; 7] = [
            &["revenue", "turnover"],
            &["active customer", "regular"],
            &["customer"],
            &["month to date"],
            &["売上"],
            &["Größenklasse"],
            &["on hand"],
        ];
        let terms = terms.iter().map(|words| words.iter().copied());
        let glossary = Glossary::new(terms, Analyzer::new("english"));
        assert_eq!(glossary.matches(question), expect, "{question}");
    }

    #[test]
    fn a_slightly_different_spelling_is_similar() {
        let terms: [&[&str]; 3] = [&["net sales"], &["Nettoumsatz"], &["active customer"]];
        let terms = terms.iter().map(|words| words.iter().copied());
        let glossary = Glossary::new(terms, Analyzer::new("english"));
        for (question, expect) in [
            ("What were the netsales in May?", &[0][..]),
            ("Was wissen wir von den Nettoumsätzen?", &[1]),
            // The opposite, and a term that matches exactly.
            ("How many inactive customers are there?", &[]),
            ("How many active customers are there?", &[]),
            ("How many employees live in Graz?", &[]),
            ("What is the net salary of each employee?", &[]),
        ] {
            let used = glossary.matches(question);
            assert_eq!(glossary.similar(question, &used), expect, "{question}");
        }
    }

    #[test]
    fn a_question_uses_the_terms_that_occur_in_it() {
        check("What is our revenue?", &[0]);
        check("Turnover of active customers in May", &[1, 0, 2]);
        check("how many Customers are active", &[2]);
        check("REVENUE MTD", &[0, 3]);
        check("revenue mtd", &[0]);
        check("今月の売上は？", &[4]);
        check("Kunden je grössenklasse", &[5]);
        check("What is on hand?", &[6]);
        check("How many orders are there?", &[]);
    }
}
