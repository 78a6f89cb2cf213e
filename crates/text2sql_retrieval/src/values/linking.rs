//! Links phrases of a question to values of the database, and checks whether a literal occurs.
//!
//! A value is stored under a few keys, made by [`keys`]; a phrase looks for its own keys. Case,
//! accents, punctuation, plural and initials are therefore matched by equality, and only typos need a
//! similarity search.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use text2sql_domain::ports::search_index::Phrase;
use text2sql_domain::ports::search_index::{KnownValue, ValueHit};
use text2sql_language::terms::{Analyzer, fold, is_function_word};
use text2sql_language::understanding::{SpokenPhrase, Understanding};

/// Maximum number of distinct values of a column: a column with more holds names rather than categories, and
/// the query itself finds the right one.
pub const MAX_VALUES: usize = 5_000;

/// Maximum length of an indexed value, in characters: longer ones are prose and not names.
pub const MAX_VALUE_CHARS: usize = 100;

/// Marks the initials of a value among its keys, so that only initials in the question match them:
/// `employees among` has the same initials as every Erik Adams.
const INITIALS: char = '.';

/// Minimum and maximum number of letters of initials.
const INITIALS_LETTERS: std::ops::RangeInclusive<usize> = 2..=6;

/// The keys under which a value is stored, without repetition: the folded text (without case, accents
/// and punctuation), its stems (plural), and for several words their initials (`United States of
/// America` is `usoa` and, without function words, `usa`).
pub fn keys(text: &str, analyzer: &Analyzer) -> Vec<String> {
    let words = folded_words(text);
    let mut keys = spellings(&words, analyzer);
    for initials in initials(&words) {
        keys.push(format!("{INITIALS}{initials}"));
    }
    keys
}

/// The keys under which a phrase is looked up: those of a value with that spelling, those of initials if
/// it may be initials, and its own initials if it is a name of several words.
fn wanted_keys(text: &str, is_name: bool, analyzer: &Analyzer) -> Vec<String> {
    let words = folded_words(text);
    let mut keys = spellings(&words, analyzer);
    // U.S.A. is three words.
    let letters: String = match words.as_slice() {
        [word] => word.clone(),
        words if words.iter().all(|word| word.chars().count() == 1) => words.concat(),
        _ => String::new(),
    };
    if INITIALS_LETTERS.contains(&letters.chars().count()) {
        keys.push(format!("{INITIALS}{letters}"));
        if words.len() > 1 {
            keys.push(letters);
        }
    } else if is_name {
        keys.extend(initials(&words));
    }
    keys
}

/// The keys under which a literal of SQL is looked up.
pub fn literal_keys(literal: &str, analyzer: &Analyzer) -> Vec<String> {
    wanted_keys(literal, true, analyzer)
}

/// Whether the phrase spells the value, or shares only its initials or its meaning.
pub(super) fn is_spelled_alike(phrase: &str, value: &str, analyzer: &Analyzer) -> bool {
    let of_value = spellings(&folded_words(value), analyzer);
    let of_phrase = spellings(&folded_words(phrase), analyzer);
    of_phrase.iter().any(|key| of_value.contains(key))
}

fn folded_words(text: &str) -> Vec<String> {
    fold(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The text as it is written, and with its words' stems.
fn spellings(words: &[String], analyzer: &Analyzer) -> Vec<String> {
    let text = words.join(" ");
    if text.is_empty() {
        return Vec::new();
    }
    let stems: Vec<_> = words.iter().map(|word| analyzer.stem(word)).collect();
    let stems = stems.join(" ");
    match stems == text || stems.is_empty() {
        true => vec![text],
        false => vec![text, stems],
    }
}

/// The initials of several words, with and without function words.
fn initials(words: &[String]) -> Vec<String> {
    if words.len() < 2 || !INITIALS_LETTERS.contains(&words.len()) {
        return Vec::new();
    }
    let of = |words: &mut dyn Iterator<Item = &String>| -> String {
        words.filter_map(|word| word.chars().next()).collect()
    };
    let all = of(&mut words.iter());
    let content = |word: &&String| !is_function_word(word);
    let short = of(&mut words.iter().filter(content));
    match short == all || short.chars().count() < 2 {
        true => vec![all],
        false => vec![all, short],
    }
}

/// Maximum length of a value's meaning that can match a phrase, in characters.
const MAX_MEANING_CHARS: usize = 60;

/// The keys under which a value is found by its meaning: `active`, or `paid, not shipped`, of which each
/// part is a key too. A long explanation is not a name and has no keys.
pub fn meaning_keys(meaning: &str, analyzer: &Analyzer) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for part in meaning.split([',', ';', '/', '(', ')', '|']) {
        let part = part.trim();
        if !part.is_empty() && part.chars().count() <= MAX_MEANING_CHARS {
            found.extend(spellings(&folded_words(part), analyzer));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Minimum similarity of a key. The default threshold of `pg_trgm` is 0.3, at which short names match
/// almost everything.
pub const MIN_SIMILARITY: f32 = 0.45;

/// Maximum number of phrases of a question, and of phrases looked up by similarity.
const MAX_PHRASES: usize = 60;
const MAX_FUZZY: usize = 12;

/// The phrases of a question that may name values.
#[derive(Debug, Default)]
pub struct Phrases {
    /// The phrases with the keys that they are looked up by.
    pub wanted: Vec<Phrase>,
    /// The same phrases as they are said.
    pub said: Vec<SpokenPhrase>,
}

/// Maximum number of questions whose phrases are kept, and the maximum length of each in bytes.
const MAX_RECENT: usize = 32;
const MAX_RECENT_BYTES: usize = 2_000;

/// The phrases of a question in the language of an analyzer. They depend on nothing else.
struct Recent {
    text: String,
    language: String,
    phrases: Rc<Phrases>,
}

thread_local! {
    /// Latest first.
    static RECENT: RefCell<VecDeque<Recent>> = const { RefCell::new(VecDeque::new()) };
}

impl Phrases {
    /// The phrases of a question; those of the last questions are kept.
    pub fn recent(understanding: &Understanding, analyzer: &Analyzer) -> Rc<Self> {
        let (text, language) = (understanding.text(), analyzer.language());
        let is_same = |one: &&Recent| one.text == text && one.language == language;
        let known = RECENT.with_borrow(|recent| {
            let found = recent.iter().find(is_same);
            found.map(|one| Rc::clone(&one.phrases))
        });
        known.unwrap_or_else(|| {
            let phrases = Rc::new(Self::of(understanding, analyzer));
            if text.len() <= MAX_RECENT_BYTES {
                RECENT.with_borrow_mut(|recent| {
                    recent.push_front(Recent {
                        text: text.to_owned(),
                        language: language.to_owned(),
                        phrases: Rc::clone(&phrases),
                    });
                    recent.truncate(MAX_RECENT);
                });
            }
            phrases
        })
    }

    /// The phrases of a question.
    pub fn of(understanding: &Understanding, analyzer: &Analyzer) -> Self {
        let mut phrases = Self::default();
        for spoken in understanding.phrases() {
            let wanted = &phrases.wanted;
            if wanted.len() >= MAX_PHRASES {
                break;
            }
            let keys = wanted_keys(&spoken.text, spoken.is_name, analyzer);
            if keys.is_empty() || wanted.iter().any(|known| known.keys == keys) {
                continue;
            }
            let fuzzy = wanted.iter().filter(|phrase| !phrase.exact_only).count();
            phrases.wanted.push(Phrase {
                text: spoken.text.clone(),
                keys,
                exact_only: !spoken.may_be_misspelt || fuzzy >= MAX_FUZZY,
                may_be_short: spoken.may_be_short,
            });
            phrases.said.push(spoken.clone());
        }
        phrases
    }

    /// The phrase of a hit, as it is said.
    pub fn of_hit(&self, hit: &ValueHit) -> Option<&SpokenPhrase> {
        self.said.get(hit.phrase)
    }
}

/// Minimum similarity of a value that is suggested for a literal that does not occur: the default of
/// `pg_trgm`.
const MIN_NEAR: f32 = 0.3;

/// Maximum number of values that are suggested for a literal that does not occur.
const MAX_NEAREST: usize = 5;

/// The similarity of two keys as in `pg_trgm`: shared trigrams over all trigrams, each word padded with
/// two spaces before and one after.
pub fn similarity(one: &str, other: &str) -> f32 {
    similarity_of(&trigrams(one), &trigrams(other))
}

/// The same of texts that [`trigrams`] has cut.
pub fn similarity_of(one: &[[char; 3]], other: &[[char; 3]]) -> f32 {
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

/// The runs of three characters of a text, in order.
pub fn trigrams(text: &str) -> Vec<[char; 3]> {
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
    let wanted = literal_keys(value, analyzer);
    let mut near: Vec<(f32, &str)> = known
        .iter()
        .filter_map(|candidate| {
            let candidate_keys = keys(candidate, analyzer);
            let alike = if candidate_keys.iter().any(|key| wanted.contains(key)) {
                1.0
            } else {
                similarity(candidate_keys.first()?, wanted.first()?)
            };
            (alike >= MIN_NEAR).then_some((alike, *candidate))
        })
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    KnownValue {
        occurs: false,
        nearest: near
            .into_iter()
            .take(MAX_NEAREST)
            .map(|(_, value)| value.to_owned())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(question: &str) -> Vec<String> {
        let understanding = Understanding::of(question, "2026-11-21");
        let shown = Phrases::of(&understanding, &Analyzer::default());
        let shown = shown.wanted.iter().map(|phrase| {
            let mark = if phrase.exact_only { "" } else { "~" };
            format!("{mark}{}", phrase.text)
        });
        shown.collect()
    }

    #[test]
    fn quotes_names_words_and_numbers_are_phrases() {
        assert_eq!(
            shown("Orders of \"Müller & Söhne\" in New York, 2024"),
            [
                "~Müller & Söhne",
                "~New York",
                "~Orders",
                "~Müller",
                "~Söhne",
                "New",
                "~York",
                "2024",
            ]
        );
        assert_eq!(shown("What's the customer's name?"), ["~customer", "name"]);
    }

    #[test]
    fn keys_settle_case_accents_plural_and_initials() {
        let analyzer = Analyzer::default();
        let meets = |value: &str, phrase: &str| {
            let known = keys(value, &analyzer);
            let is_name = phrase.starts_with(char::is_uppercase);
            let wanted = wanted_keys(phrase, is_name, &analyzer);
            wanted.iter().any(|key| known.contains(key))
        };
        assert!(meets("GERMANY", "germany"));
        assert!(meets("São Paulo", "sao paulo"));
        assert!(meets("Sports Car", "sports cars"));
        assert!(meets("United States of America", "USA"));
        assert!(meets("O'Brien-Smith", "o brien smith"));
        assert!(!meets("Paris", "Prague"));
        assert!(meets("United States of America", "usa"));
        assert!(meets("USA", "U.S.A."));
        assert!(meets("USA", "United States of America"));
        assert!(meets("NY", "New York"));
        // Words of a question are not initials, and names do not match by their initials.
        assert!(!meets("CA", "customers and"));
        assert!(!meets("Erik Adams", "employees among"));
        assert!(!meets("Erik Adams", "Eva Ahn"));
    }

    #[test]
    fn a_value_is_found_by_what_it_means() {
        let analyzer = Analyzer::default();
        let keys_of = |meaning| meaning_keys(meaning, &analyzer);
        let finds = |meaning, phrase| {
            let wanted = wanted_keys(phrase, false, &analyzer);
            keys_of(meaning).iter().any(|key| wanted.contains(key))
        };
        assert!(finds("active", "Active"));
        assert!(finds("paid, not yet shipped", "not yet shipped"));
        assert!(finds("subscriptions (monthly)", "subscription"));
        assert!(!finds("active", "inactive"));
        assert!(keys_of(&"word ".repeat(50)).is_empty());
    }

    #[test]
    fn similarity_is_that_of_trigrams() {
        // SELECT similarity('germany', 'gemany') in pg_trgm: 0.5.
        assert!((similarity("germany", "gemany") - 0.5).abs() < 1e-6);
        assert!((similarity("word", "two words") - 0.363_636).abs() < 1e-5);
        assert!(similarity("", "x").abs() < f32::EPSILON);
    }

    #[test]
    fn a_literal_that_does_not_occur_has_neighbours() {
        let known = ["Germany", "France", "Norway"];
        let look = |value| look_up(&known, value, &Analyzer::default());
        assert!(look("Germany").occurs);
        assert_eq!(look("germany").nearest[0], "Germany");
        assert_eq!(look("Norwy").nearest[0], "Norway");
        assert!(look("xyz").nearest.is_empty());
    }
}
