//! Turns names, comments and questions into index terms.
//!
//! Names are split at word boundaries (`camelCase`, `snake_case`, digits), letters are folded (case and
//! accents), function words are dropped, and the rest is stemmed. Documents and questions use the same
//! analyzer, so their terms always match.
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use text2sql_domain::words;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum length of a term in characters: longer ones are encoded data, not words.
const MAX_TERM_CHARS: usize = 48;

/// Maximum number of names whose terms a thread keeps.
const MAX_KEPT_NAMES: usize = 20_000;

/// Names with their terms.
type TermsOfNames = HashMap<String, Rc<[String]>>;

thread_local! {
    /// By language.
    static NAMES: RefCell<HashMap<String, TermsOfNames>> = RefCell::default();
}

/// Splits, folds and stems in one language.
pub struct Analyzer {
    stemmer: Option<Stemmer>,
    language: String,
}

impl Analyzer {
    /// An analyzer for a language by its English name, such as `english` or `german`. Any other
    /// name gives `simple`: no stemming.
    pub fn new(language: &str) -> Self {
        let language = language.to_lowercase();
        let stemmer = algorithm(&language).map(Stemmer::create);
        Self {
            stemmer,
            language: if stemmer_exists(&language) {
                language
            } else {
                "simple".to_owned()
            },
        }
    }

    /// The language in force; `simple` when nothing is stemmed. An index made with another one
    /// must be built anew.
    pub fn language(&self) -> &str {
        &self.language
    }

    /// The terms of a text or a name, in order, repetitions kept, function words left out.
    pub fn terms(&self, text: &str) -> Vec<String> {
        split(text)
            .iter()
            .filter(|word| !is_function_word(word))
            .map(|word| self.stem(word))
            .collect()
    }

    /// The same of a name, kept for later questions, which meet the same names.
    pub fn terms_of_name(&self, name: &str) -> Rc<[String]> {
        let known = NAMES.with_borrow(|known| {
            let names = known.get(&self.language)?;
            names.get(name).map(Rc::clone)
        });
        if let Some(terms) = known {
            return terms;
        }
        let terms: Rc<[String]> = self.terms(name).into();
        NAMES.with_borrow_mut(|known| {
            let count: usize = known.values().map(HashMap::len).sum();
            if count >= MAX_KEPT_NAMES {
                known.clear();
            }
            let names = known.entry(self.language.clone()).or_default();
            names.insert(name.to_owned(), Rc::clone(&terms));
        });
        terms
    }

    /// The terms of a question: its words, and each pair of neighbours joined, because many names are
    /// compounds (`birthdate`, `firstname`).
    pub fn question_terms(&self, question: &str) -> Vec<String> {
        self.terms_of_words(&split(question))
    }

    /// The same for a question that [`split`] has cut.
    pub fn terms_of_words(&self, words: &[String]) -> Vec<String> {
        let mut terms: Vec<String> = Vec::new();
        let mut add = |term: String| {
            if !terms.contains(&term) {
                terms.push(term);
            }
        };
        for word in words.iter().filter(|word| !is_function_word(word)) {
            add(self.stem(word));
        }
        self.pairs(words).into_iter().for_each(add);
        terms
    }

    /// Each pair of neighbouring words joined, without function words.
    pub fn pairs(&self, words: &[String]) -> Vec<String> {
        let joined = words.windows(2).filter_map(|pair| match pair {
            [first, second] if !is_function_word(first) && !is_function_word(second) => {
                Some(self.stem(&format!("{first}{second}")))
            }
            _ => None,
        });
        joined.collect()
    }

    /// The stem of one folded word.
    pub fn stem(&self, word: &str) -> String {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        }
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new("english")
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Analyzer({})", self.language)
    }
}

fn stemmer_exists(language: &str) -> bool {
    algorithm(language).is_some()
}

fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
        "arabic" => Algorithm::Arabic,
        "danish" => Algorithm::Danish,
        "dutch" => Algorithm::Dutch,
        "english" => Algorithm::English,
        "finnish" => Algorithm::Finnish,
        "french" => Algorithm::French,
        "german" => Algorithm::German,
        "greek" => Algorithm::Greek,
        "hungarian" => Algorithm::Hungarian,
        "italian" => Algorithm::Italian,
        "norwegian" => Algorithm::Norwegian,
        "portuguese" => Algorithm::Portuguese,
        "romanian" => Algorithm::Romanian,
        "russian" => Algorithm::Russian,
        "spanish" => Algorithm::Spanish,
        "swedish" => Algorithm::Swedish,
        "tamil" => Algorithm::Tamil,
        "turkish" => Algorithm::Turkish,
        _ => return None,
    })
}

/// The folded words of a text: split at everything but letters and digits, between a small and a
/// capital letter, before the last capital of a row of them, and between letters and digits.
pub fn split(text: &str) -> Vec<String> {
    let words = split_as_written(text).into_iter();
    words.map(|(folded, _)| folded).collect()
}

/// The words of [`split`], each folded and in lower case with its accents.
pub fn split_as_written(text: &str) -> Vec<(String, String)> {
    let mut words = Vec::new();
    let mut word = String::new();
    let characters: Vec<char> = text.nfc().collect();
    for (at, &character) in characters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| characters.get(before));
        let after = characters.get(at + 1);
        if !character.is_alphanumeric() && !is_combining_mark(character) {
            finish(&mut words, &mut word);
            continue;
        }
        if let Some(&before) = before
            && begins_word(before, character, after.copied())
        {
            finish(&mut words, &mut word);
        }
        word.push(character);
    }
    finish(&mut words, &mut word);
    words
}

fn begins_word(before: char, character: char, after: Option<char>) -> bool {
    let camel = before.is_lowercase() && character.is_uppercase();
    let end_of_acronym =
        before.is_uppercase() && character.is_uppercase() && after.is_some_and(char::is_lowercase);
    let digits = before.is_alphanumeric() && before.is_numeric() != character.is_numeric();
    camel || end_of_acronym || (digits && !is_combining_mark(character))
}

fn finish(words: &mut Vec<(String, String)>, word: &mut String) {
    if !word.is_empty() {
        let folded = fold(word);
        if !folded.is_empty() && folded.chars().count() <= MAX_TERM_CHARS {
            words.push((folded, word.to_lowercase()));
        }
        word.clear();
    }
}

/// Lower case without accents: `Größe` and `grosse` are one word.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let lower = text.to_lowercase().replace('ß', "ss");
    lower
        .nfkd()
        .filter(|character| !is_combining_mark(*character))
        .nfc()
        .collect()
}

/// Whether a folded word does not help to find a table.
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word).is_ok()
}

/// Articles, pronouns, prepositions, auxiliaries and the verbs that ask: sorted. Words that may
/// name a measure ("total", "number", "count") are not among them.
const FUNCTION_WORDS: &[&str] = words!(
    "a, about, above, after, all, also, am, among, an, and, any, are, as, at, be, been, before, \
     being, below, between, both, but, by, can, could, did, do, does, doing, during, each, every, \
     find, for, from, further, get, give, had, has, have, having, he, her, here, hers, him, his, \
     how, i, if, in, into, is, it, its, itself, let, list, many, me, more, most, much, my, no, \
     nor, not, of, off, on, once, only, or, other, our, out, over, own, please, return, s, same, \
     she, should, show, so, some, such, tell, than, that, the, their, theirs, them, then, there, \
     these, they, this, those, through, to, too, under, until, up, very, was, we, were, what, \
     when, where, which, while, who, whom, whose, why, will, with, would, you, your"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_words_are_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn splits_names_where_a_reader_would() {
        let check = |text: &str, expect: &[&str]| assert_eq!(split(text), expect);
        check("customerOrderID", &["customer", "order", "id"]);
        check("HTTPServer_log2024", &["http", "server", "log", "2024"]);
        check("Größe des Käufers", &["grosse", "des", "kaufers"]);
        check("e\u{301}tat", &["etat"]);
        check("Каталог_товаров", &["каталог", "товаров"]);
        check("  --  ", &[]);
    }

    #[test]
    fn documents_and_questions_agree_on_stems() {
        let english = Analyzer::default();
        assert_eq!(english.terms("order_items"), ["order", "item"]);
        assert_eq!(
            english.question_terms("How many birth dates of the employees?"),
            ["birth", "date", "employe", "birthdat"]
        );
        let german = Analyzer::new("german");
        assert_eq!(german.terms("Bestellungen"), german.terms("bestellung"));
        assert_eq!(Analyzer::new("klingon").language(), "simple");
    }
}
