//! Lists of words as one reads them, in one text, which the compiler takes apart.

/// Words or phrases in the order of a text in which they are separated by `, `: `words!("show, list, give me")`.
#[macro_export]
macro_rules! words {
    ($text:expr) => {{
        const TEXT: &str = $text;
        const WORDS: [&str; $crate::word_list::count(TEXT)] = $crate::word_list::split(TEXT);
        &WORDS
    }};
}

/// The same for words that belong together: `word_pairs!("kunde = customer, umsatz = revenue")`.
#[macro_export]
macro_rules! word_pairs {
    ($text:expr) => {{
        const TEXT: &str = $text;
        const PAIRS: [(&str, &str); $crate::word_list::count(TEXT)] =
            $crate::word_list::pairs(TEXT);
        &PAIRS
    }};
}

/// The number of words of a text.
#[must_use]
pub const fn count(text: &str) -> usize {
    let (mut rest, mut count) = (Some(text), 0);
    while let Some(text) = rest {
        rest = first(text).1;
        count += 1;
    }
    count
}

/// The words of a text that has `N` of them.
#[must_use]
#[expect(
    clippy::indexing_slicing,
    reason = "it runs while the crate is compiled"
)]
pub const fn split<const N: usize>(text: &str) -> [&str; N] {
    let (mut words, mut rest, mut place) = ([""; N], Some(text), 0);
    while let Some(text) = rest {
        (words[place], rest) = first(text);
        place += 1;
    }
    words
}

/// The pairs of a text that has `N` of them.
#[must_use]
#[expect(
    clippy::indexing_slicing,
    reason = "it runs while the crate is compiled"
)]
pub const fn pairs<const N: usize>(text: &str) -> [(&str, &str); N] {
    let (words, mut pairs, mut place) = (split::<N>(text), [("", ""); N], 0);
    while place < N {
        if let (one, Some(other)) = divided(words[place], b" = ") {
            pairs[place] = (one, other);
        }
        place += 1;
    }
    pairs
}

/// The first word of a text, and what is behind its comma.
const fn first(text: &str) -> (&str, Option<&str>) {
    divided(text, b", ")
}

/// What stands before and behind a sign.
#[expect(
    clippy::indexing_slicing,
    reason = "it runs while the crate is compiled"
)]
const fn divided<'t>(text: &'t str, sign: &[u8]) -> (&'t str, Option<&'t str>) {
    let (bytes, mut at) = (text.as_bytes(), 0);
    while at + sign.len() <= bytes.len() {
        let mut same = 0;
        while same < sign.len() && bytes[at + same] == sign[same] {
            same += 1;
        }
        if same == sign.len() {
            let (before, from) = text.split_at(at);
            return (before, Some(from.split_at(same).1));
        }
        at += 1;
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_are_parted_by_a_comma_and_a_space() {
        const MANY: &[&str] = words!(
            "show, give me, \
            a,b, für"
        );
        assert_eq!(MANY, ["show", "give me", "a,b", "für"]);
        const ONE: [&str; 1] = *words!("show");
        assert_eq!(ONE, ["show"]);
    }

    #[test]
    fn the_two_words_of_a_pair_are_parted_by_an_equals_sign() {
        const PAIRS: &[(&str, &str)] = word_pairs!("kunde = customer, größe = size of it");
        assert_eq!(PAIRS, [("kunde", "customer"), ("größe", "size of it")]);
    }
}
