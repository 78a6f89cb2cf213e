//! German names of tables and columns in the English words that mean the same, so that one set of rules reads both.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::noun_list::{english_noun, lines};
use text2sql_language::names::english_words;

struct Words {
    /// The English words for a German one.
    german: HashMap<String, Vec<&'static str>>,
    /// The same, where the German word is an English one as well: "Art" is a type.
    both: HashMap<String, Vec<&'static str>>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let mut words = Words {
        german: HashMap::new(),
        both: HashMap::new(),
    };
    for line in lines(include_str!("german_names.txt")) {
        let Some((english, german)) = line.split_once(':') else {
            continue;
        };
        let english: Vec<&str> = english.split(' ').collect();
        let (german, both) = german.split_once('!').unwrap_or((german, ""));
        for (known, list) in [(&mut words.german, german), (&mut words.both, both)] {
            for word in list.split_whitespace() {
                known.insert(unaccented(word), english.clone());
                known.insert(word.to_owned(), english.clone());
            }
        }
    }
    words
});

/// "fällig" as identifiers have it: "faellig".
fn unaccented(word: &str) -> String {
    let plain = word.replace('ä', "ae").replace('ö', "oe");
    plain.replace('ü', "ue").replace('ß', "ss")
}

/// The words of a name in English where they are German; others stay as they are.
pub(crate) fn in_english(words: Vec<String>) -> Vec<String> {
    let mut english: Vec<Option<Vec<String>>> = words.iter().map(|word| of_word(word)).collect();
    let is_german = words.len() == 1 || english.iter().any(Option::is_some);
    if is_german {
        for (word, found) in words.iter().zip(&mut english) {
            if found.is_none() {
                *found = WORDS.both.get(word).map(|words| owned(words));
            }
        }
    }
    let each = words.into_iter().zip(english);
    each.flat_map(|(word, found)| found.unwrap_or_else(|| vec![word]))
        .collect()
}

fn owned(words: &[&'static str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// A German word that is no English one, or a compound of two.
fn of_word(word: &str) -> Option<Vec<String>> {
    if english_words::level(word).is_some() {
        return None;
    }
    if let Some(words) = of_part(word) {
        return Some(words);
    }
    let splits = word.char_indices().skip(3);
    splits
        .filter_map(|(at, _)| word.split_at_checked(at))
        .find_map(|(left, right)| {
            let is_english = right.len() > 3 && english_words::level(right) == Some(1);
            let right = of_part(right)
                .or_else(|| WORDS.both.get(right).map(|words| owned(words)))
                .or_else(|| is_english.then(|| vec![right.to_owned()]))?;
            let links = ["", "s", "n", "en", "es"].iter();
            let mut stripped = links.filter_map(|link| left.strip_suffix(link));
            let left = stripped.find_map(of_part)?;
            Some([left, right].concat())
        })
}

/// The English words for a German one of the list.
pub(crate) fn listed(word: &str) -> Option<&'static [&'static str]> {
    WORDS.german.get(word).map(Vec::as_slice)
}

fn of_part(word: &str) -> Option<Vec<String>> {
    if let Some(words) = WORDS.german.get(word) {
        return Some(owned(words));
    }
    if english_words::level(word).is_some() {
        return None;
    }
    let noun = english_noun(word)?;
    Some(noun.split('_').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn german_names_are_read_in_english() {
        let read = |name: &str| {
            let words = name.split('_').map(str::to_owned).collect();
            in_english(words).join(" ")
        };
        assert_eq!(read("rechnungsdatum"), "invoice date");
        assert_eq!(read("bezahlt_am"), "paid on");
        assert_eq!(read("faellig_am"), "due on");
        assert_eq!(read("kunden_id"), "customer id");
        assert_eq!(read("ziel_land"), "destination country");
        assert_eq!(read("kreditlimit"), "credit limit");
        assert_eq!(read("rechnungsposition"), "invoice position");
        assert_eq!(read("art"), "type");
        assert_eq!(read("netto"), "net amount");
        // English and other names stay.
        assert_eq!(read("land_use"), "land use");
        assert_eq!(read("state_of_the_art"), "state of the art");
        assert_eq!(read("started_am"), "started am");
        assert_eq!(read("custno"), "custno");
        assert_eq!(read("fecha_pago"), "fecha pago");
    }
}
