//! Abbreviations that are usual in names of tables and columns, and the words of names that say nothing about
//! content.

use std::sync::LazyLock;

/// `short: meaning | other meaning` in a line, sorted by bytes. A meaning may have several words.
const ABBREVIATIONS: &str = include_str!("abbreviations.txt");

/// What the word usually abbreviates, in the order of the list; empty for other words. A plural means the
/// same.
pub fn meanings(short: &str) -> Vec<&'static str> {
    let found = listed(short).or_else(|| listed(short.strip_suffix('s')?));
    found.map_or_else(Vec::new, |meanings| meanings.split(" | ").collect())
}

/// Whether the word is a usual abbreviation.
pub fn is_abbreviation(word: &str) -> bool {
    listed(word).is_some() || word.strip_suffix('s').and_then(listed).is_some()
}

/// Whether the list has the word itself, and not only its singular.
pub fn is_listed(word: &str) -> bool {
    listed(word).is_some()
}

fn listed(short: &str) -> Option<&'static str> {
    let at = ENTRIES.binary_search_by(|(known, _)| (*known).cmp(short));
    ENTRIES.get(at.ok()?).map(|(_, meanings)| *meanings)
}

/// The list, cut into its entries when it is first used.
static ENTRIES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let entries = ABBREVIATIONS.lines();
    entries.filter_map(|line| line.split_once(": ")).collect()
});

/// Beginnings of names that say what kind of object it is.
pub const PREFIXES: &[&str] = &["tbl", "vw", "tb"];

/// Words that tell apart what tables store and how, not what it is about.
const STORAGE_WORDS: &[&str] = &[
    "dim", "fact", "fct", "lkp", "lkup", "lookup", "ref", "stg", "tab", "tb", "tbl", "tmp", "view",
    "vw", "xref",
];

/// Whether the word says how something is stored, and not what it is about.
pub fn is_storage_word(word: &str) -> bool {
    STORAGE_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_without_repetitions() {
        let shorts: Vec<&str> = ABBREVIATIONS
            .lines()
            .map(|line| line.split_once(": ").map(|(short, _)| short).unwrap())
            .collect();
        assert!(shorts.is_sorted_by(|one, other| one < other));
        assert!(STORAGE_WORDS.is_sorted());
    }

    #[test]
    fn an_abbreviation_may_have_several_meanings_and_words() {
        assert_eq!(meanings("addr"), ["address"]);
        assert_eq!(meanings("accts"), ["account"]);
        assert_eq!(meanings("pt"), ["patient", "point"]);
        assert_eq!(meanings("dob"), ["birth date"]);
        assert!(meanings("customer").is_empty());
        assert!(meanings("s").is_empty());
    }
}
