//! Texts without what looks private, for a model.

use crate::masking::looks_private;

/// What stands for a masked part.
const MASK: &str = "…";

/// Longest IBAN with its blanks, in words of four characters.
const MAX_IBAN_WORDS: usize = 9;

/// The text with each e-mail address, phone number, IBAN, UUID and token replaced by `…`, as values of rows are
/// before they are sent. Dates, years and amounts stay: a text means little without them.
pub fn mask_text(text: &str) -> String {
    let words = words(text);
    let mut masked = String::with_capacity(text.len());
    let mut kept = 0;
    let mut index = 0;
    while index < words.len() {
        let length = private_words(text, words.get(index..).unwrap_or_default());
        if length == 0 {
            index += 1;
            continue;
        }
        let (Some(first), Some(last)) = (words.get(index), words.get(index + length - 1)) else {
            break;
        };
        masked.push_str(text.get(kept..first.0).unwrap_or_default());
        masked.push_str(MASK);
        kept = last.1;
        index += length;
    }
    masked.push_str(text.get(kept..).unwrap_or_default());
    masked
}

/// Start and end of each word, without the punctuation around it.
fn words(text: &str) -> Vec<(usize, usize)> {
    let is_edge = |c: char| c.is_ascii_punctuation() && !matches!(c, '+') || "„“”«»‚‘’".contains(c);
    let mut words = Vec::new();
    let mut start = 0;
    for part in text.split_inclusive(char::is_whitespace) {
        let word = part.trim_end();
        let inner = word.trim_matches(is_edge);
        if !inner.is_empty() {
            let before = word.len() - word.trim_start_matches(is_edge).len();
            words.push((start + before, start + before + inner.len()));
        }
        start += part.len();
    }
    words
}

/// How many of the first words together look private; 0 if the first does not begin anything private.
fn private_words(text: &str, words: &[(usize, usize)]) -> usize {
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let Some(&(start, end)) = words.first() else {
        return 0;
    };
    let first = part(start, end);
    if begins_iban(first) {
        let is_group = |word: &str| {
            word.len() <= 4
                && word
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        };
        let groups = words.iter().skip(1).take(MAX_IBAN_WORDS - 1);
        let longest = 1 + groups
            .take_while(|(from, to)| is_group(part(*from, *to)))
            .count();
        for count in (1..=longest).rev() {
            let Some(last) = words.get(count - 1) else {
                continue;
            };
            let whole = part(start, last.1);
            let compact: String = whole.chars().filter(|c| !c.is_whitespace()).collect();
            if (15..=34).contains(&compact.len())
                && compact.chars().all(|c| c.is_ascii_alphanumeric())
                && compact.chars().filter(char::is_ascii_digit).count() >= 10
            {
                return count;
            }
        }
    }
    let is_number = |word: &str| {
        word.chars().any(|c| c.is_ascii_digit())
            && word
                .chars()
                .all(|c| c.is_ascii_digit() || "+-()/.".contains(c))
    };
    if is_number(first) {
        let run = words
            .iter()
            .take_while(|(from, to)| is_number(part(*from, *to)))
            .count();
        // A phone number is often written in groups, and never holds a date, a year or an amount.
        let groups = words
            .iter()
            .take(run)
            .take_while(|(from, to)| !is_measure(part(*from, *to)))
            .count();
        let Some(last) = groups.checked_sub(1).and_then(|last| words.get(last)) else {
            return 0;
        };
        return match looks_private(part(start, last.1)) {
            true => groups,
            false => 0,
        };
    }
    usize::from(looks_private(first))
}

fn begins_iban(word: &str) -> bool {
    let mut characters = word.chars();
    characters.by_ref().take(2).all(|c| c.is_ascii_uppercase())
        && characters.clone().count() >= 2
        && characters.take(2).all(|c| c.is_ascii_digit())
}

/// A date, a year or years, or an amount with separators.
fn is_measure(word: &str) -> bool {
    let parts: Vec<&str> = word.split(['-', '.', '/']).collect();
    let is_year =
        |part: &str| part.len() == 4 && (part.starts_with("19") || part.starts_with("20"));
    let is_small = |part: &str| !part.is_empty() && part.len() <= 2;
    match parts.as_slice() {
        _ if word.starts_with('+') || word.contains(['(', ')']) => false,
        [year] if is_year(year) => true,
        [from, to] if is_year(from) && (is_year(to) || is_small(to)) => true,
        [year, month, day] if is_year(year) && is_small(month) && is_small(day) => true,
        [day, month, year]
            if is_small(day) && is_small(month) && (is_year(year) || is_small(year)) =>
        {
            true
        }
        [first, rest @ ..] if word.contains('.') && !rest.is_empty() => {
            (1..=3).contains(&first.len())
                && !first.starts_with('0')
                && rest.iter().all(|group| group.len() == 3)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_private_is_masked_and_nothing_else() {
        let cases = [
            (
                "Write to anna.berg@example.org, or call +49 170 1234567 (mornings).",
                "Write to …, or call … (mornings).",
            ),
            (
                "Pay to DE89 3704 0044 0532 0130 00 until 2024-03-05.",
                "Pay to … until 2024-03-05.",
            ),
            ("Ruf (0341) 123-4567 an!", "Ruf (… an!"),
            (
                "From 01.03.2024 to 31.03.2024, 1.000.000 pieces in 2023/2024.",
                "From 01.03.2024 to 31.03.2024, 1.000.000 pieces in 2023/2024.",
            ),
            ("token sk4f9a8b7c6d5e4f3a2b1c0d works", "token … works"),
            ("", ""),
            ("…\n\n売上 は 3 倍", "…\n\n売上 は 3 倍"),
        ];
        for (text, expected) in cases {
            assert_eq!(mask_text(text), expected);
        }
    }
}
