//! One form for what can be written in several ways, as the model's own tables say: NFKC with a few
//! additions. Runs of white space become one space, written as `▁`, which also precedes the text.

use crate::trie::Trie;

/// What the pieces have for a space.
const SPACE: &[u8] = "\u{2581}".as_bytes();

/// The tables of the file.
pub(crate) struct Normalizer<'a> {
    /// Texts that are replaced; a value is a position in `replacements`.
    pub(crate) trie: Trie<'a>,
    /// What they are replaced by, each ending with a zero byte.
    pub(crate) replacements: &'a [u8],
}

impl Normalizer<'_> {
    /// The text as the pieces have it; empty if nothing is left of it.
    pub(crate) fn normalize(&self, text: &str) -> Vec<u8> {
        let mut rest = text.as_bytes();
        let mut normalized = SPACE.to_vec();
        let mut after_space = true;
        while !rest.is_empty() {
            let (mut written, length) = self.next(rest);
            rest = rest.get(length..).unwrap_or_default();
            while after_space && let [b' ', others @ ..] = written {
                written = others;
            }
            for byte in written {
                match byte {
                    b' ' => normalized.extend_from_slice(SPACE),
                    byte => normalized.push(*byte),
                }
            }
            if let [.., last] = written {
                after_space = *last == b' ';
            }
        }
        while normalized.ends_with(SPACE) {
            normalized.truncate(normalized.len() - SPACE.len());
        }
        normalized
    }

    /// What the beginning of a text is replaced by, and the length of that beginning.
    fn next<'t>(&'t self, text: &'t [u8]) -> (&'t [u8], usize) {
        let mut longest = None;
        self.trie
            .prefixes(text, |length, value| longest = Some((length, value)));
        if let Some((length, value)) = longest
            && let Some(replacement) = self.replacement(value)
        {
            return (replacement, length);
        }
        let length = char_length(text);
        (text.get(..length).unwrap_or(text), length)
    }

    fn replacement(&self, at: usize) -> Option<&[u8]> {
        self.replacements.get(at..)?.split(|byte| *byte == 0).next()
    }
}

/// Number of bytes of the first character; 1 if the text does not begin with a character.
pub(crate) fn char_length(text: &[u8]) -> usize {
    let length = match text.first() {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xf7) => 4,
        _ => 1,
    };
    if length <= text.len() { length } else { 1 }
}
