//! Which texts are like each other: misspelt words, and the known texts nearest to one that is not known.

/// Levenshtein distance in characters.
pub use strsim::levenshtein as edit_distance;

/// Maximum length of a text compared as a word: the cost grows with the product of the lengths.
const MAX_WORD_CHARS: usize = 40;

/// Whether `one` becomes `other` by as few changes as a typist makes: one letter changed, missing, too
/// many or swapped with its neighbour in a word of five letters or more, two from nine letters on.
/// Trigrams alone miss "Frence" for "France", which share only four of ten.
pub fn is_typo(one: &str, other: &str) -> bool {
    typing_errors(one, other).is_some()
}

/// The number of changes of a typist between the words; `None` if they are more than [`is_typo`] allows.
pub fn typing_errors(one: &str, other: &str) -> Option<usize> {
    let lengths = (one.chars().count(), other.chars().count());
    let allowed = match lengths.0.min(lengths.1) {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    };
    let may_be =
        lengths.0.max(lengths.1) <= MAX_WORD_CHARS && lengths.0.abs_diff(lengths.1) <= allowed;
    let errors = may_be.then(|| strsim::osa_distance(one, other))?;
    (errors <= allowed).then_some(errors)
}

/// Maximum of texts named.
const MAX_NAMED: usize = 3;

/// The nearest of `known`, best first, at most three; only those that a person would take for the
/// same: equal but for case and marks, one holding the other, or few letters apart.
pub fn nearest(wanted: &str, known: &[String]) -> Vec<String> {
    let plain = simplified(wanted);
    if plain.is_empty() {
        return Vec::new();
    }
    let length = plain.chars().count();
    let max_distance = (length / 3).max(1);
    let mut scored: Vec<(usize, &String)> = known
        .iter()
        .filter(|text| text.as_str() != wanted)
        .filter_map(|text| {
            let other = simplified(text);
            if other.is_empty() {
                return None;
            }
            if other == plain {
                return Some((0, text));
            }
            // A difference in length is the least that the distance can be.
            let gap = other.chars().count().abs_diff(length);
            let holds = length >= 3 && (other.contains(&plain) || plain.contains(&other));
            if holds && other.chars().count() >= 3 {
                return Some((1 + gap.min(max_distance), text));
            }
            if gap > max_distance {
                return None;
            }
            let distance = edit_distance(&plain, &other);
            (distance <= max_distance).then_some((1 + distance, text))
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored
        .into_iter()
        .take(MAX_NAMED)
        .map(|(_, text)| text.clone())
        .collect()
}

/// The same for names of tables and columns: only those that are a typing error away, or, where none
/// is, that share a word with it.
pub fn nearest_names(wanted: &str, known: &[String]) -> Vec<String> {
    let found = nearest(wanted, known);
    if !found.is_empty() {
        return found;
    }
    let words = |name: &str| -> Vec<String> {
        name.to_lowercase()
            .split('_')
            .filter(|word| word.len() > 2)
            .map(|word| word.trim_end_matches('s').to_owned())
            .collect()
    };
    let own = words(wanted);
    let mut shared: Vec<String> = known
        .iter()
        .filter(|name| words(name).iter().any(|word| own.contains(word)))
        .cloned()
        .collect();
    shared.sort();
    shared.dedup();
    shared.truncate(MAX_NAMED);
    shared
}

/// Lower case, letters and digits only.
fn simplified(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_a_typo() {
        for (one, other) in [
            ("frence", "france"),
            ("germny", "germany"),
            ("gremany", "germany"),
            ("switzerlnad", "switzerland"),
            ("philipines", "philippines"),
            ("cote divoire", "cote d ivoire"),
        ] {
            assert!(is_typo(one, other), "{one} {other}");
            assert!(is_typo(other, one), "{other} {one}");
        }
    }

    #[test]
    fn another_word_is_none() {
        for (one, other) in [
            ("iran", "iraq"),
            ("austria", "australia"),
            ("niger", "nigeria"),
            ("", "france"),
            ("paid", "said"),
        ] {
            assert!(!is_typo(one, other), "{one} {other}");
        }
    }

    #[test]
    fn near_values_are_those_that_a_person_would_take_for_the_same() {
        let check = |wanted: &str, known: &[&str], expect: &[&str]| {
            let known: Vec<String> = known.iter().map(|&text| text.to_owned()).collect();
            assert_eq!(nearest(wanted, &known), expect, "{wanted}");
        };
        check("germany", &["Germany", "France"], &["Germany"]);
        check("Germny", &["Germany", "Georgia"], &["Germany"]);
        check("New York", &["NEW-YORK", "York"], &["NEW-YORK", "York"]);
        check("USA", &["United States", "Usa"], &["Usa"]);
        check("x", &["abc", "y"], &["y"]);
        check("", &["a"], &[]);
        check(
            "Österreich",
            &["osterreich", "österreich"],
            &["österreich", "osterreich"],
        );
    }
}
