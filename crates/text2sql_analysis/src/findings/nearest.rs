//! Which known texts come nearest to one that is not known.

/// Most texts named.
const MOST: usize = 3;

/// The nearest of `known`, best first, at most three; only those that a person would take for the
/// same: equal but for case and marks, one holding the other, or few letters apart.
pub fn nearest(wanted: &str, known: &[String]) -> Vec<String> {
    let plain = simplified(wanted);
    if plain.is_empty() {
        return Vec::new();
    }
    let length = plain.chars().count();
    let most = (length / 3).max(1);
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
                return Some((1 + gap.min(most), text));
            }
            if gap > most {
                return None;
            }
            let distance = distance(&plain, &other);
            (distance <= most).then_some((1 + distance, text))
        })
        .collect();
    scored.sort();
    scored.dedup();
    scored
        .into_iter()
        .take(MOST)
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
    shared.truncate(MOST);
    shared
}

/// Lower case, letters and digits only.
fn simplified(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Levenshtein distance in characters.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, b) in row.iter_mut().skip(1).zip(&b) {
            let above = *cell;
            left = (above + 1)
                .min(left + 1)
                .min(diagonal + usize::from(a != *b));
            diagonal = above;
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
