//! How the stretches of a question begin: most names and stored values of a schema are sorted out by
//! their first letters, before anything is made of them.

use super::names;
use super::words::{Token, is_irregular};

const LONGEST_ABBREVIATION: usize = 5;

/// A longer value with letters beyond ASCII is no name in a question.
const LONGEST_FOREIGN: usize = 200;

/// First bytes of every stretch of a question.
pub(super) struct Starts {
    /// First two bytes.
    pairs: Vec<bool>,
    /// First byte.
    letters: Vec<bool>,
    /// First three bytes, of stems too, folded to 16 bits.
    threes: Vec<bool>,
    /// First two bytes after which the third may be any: words with the stem differ there.
    any_third: Vec<bool>,
}

impl Starts {
    /// Of no stretch yet.
    pub(super) fn new() -> Self {
        Self {
            pairs: vec![false; 1 << 16],
            letters: vec![false; 256],
            threes: vec![false; 1 << 16],
            any_third: vec![false; 1 << 16],
        }
    }

    /// Notes a stretch, reduced.
    pub(super) fn add_key(&mut self, key: &str) {
        set(&mut self.threes, Some(first_three(key.bytes())));
        set(&mut self.pairs, first_bytes(key.as_bytes()));
        set(&mut self.letters, key.bytes().next().map(usize::from));
    }

    /// Notes how words with the token's stem begin.
    pub(super) fn add_stem(&mut self, token: &Token) {
        if token.stem.len() < 3 || is_irregular(&token.stem) {
            for text in [&token.stem, &token.lower] {
                set(&mut self.any_third, first_bytes(text.as_bytes()));
            }
        } else {
            set(&mut self.threes, Some(first_three(token.stem.bytes())));
        }
    }

    /// Whether a stretch of the question begins like this.
    pub(super) fn begins(&self, word: &[u8]) -> bool {
        is_set(&self.pairs, first_bytes(word))
    }

    /// Whether a stored value may be one of the stretches.
    pub(super) fn may_hold(&self, value: &str) -> bool {
        // Most values are rejected here: by two bytes, or three, without a look at the rest.
        if let [first, second, third, ..] = value.as_bytes()
            && first.is_ascii_alphanumeric()
            && second.is_ascii_alphanumeric()
        {
            let lower = [first, second, third].map(u8::to_ascii_lowercase);
            let [first, second, third] = lower;
            let pair = first_bytes(&[first, second]);
            if !is_set(&self.pairs, pair) {
                return false;
            }
            let is_plain = third.is_ascii_alphanumeric();
            if is_plain
                && !is_set(&self.threes, Some(first_three(lower.into_iter())))
                && !is_set(&self.any_third, pair)
                && value.is_ascii()
            {
                return false;
            }
        }
        let mut lower = value
            .bytes()
            .filter(|b| b.is_ascii_alphanumeric() || !b.is_ascii())
            .map(|b| b.to_ascii_lowercase());
        let three = Some(first_three(lower.clone()));
        let Some(first) = lower.next() else {
            return false;
        };
        if !value.is_ascii() {
            return value.len() < LONGEST_FOREIGN;
        }
        let pair = first_bytes(&[first, lower.next().unwrap_or(0)]);
        is_set(&self.pairs, pair) && (is_set(&self.threes, three) || is_set(&self.any_third, pair))
    }

    /// Whether any key of the column's name can occur: building them all costs more than this look.
    pub(super) fn may_name(&self, name: &str) -> bool {
        if !name.is_ascii() {
            return true;
        }
        let mut words = 0;
        let mut previous = b'_';
        for (i, &byte) in name.as_bytes().iter().enumerate() {
            let begins_word = byte.is_ascii_alphanumeric()
                && (!previous.is_ascii_alphanumeric()
                    || (byte.is_ascii_uppercase() && !previous.is_ascii_uppercase()));
            previous = byte;
            if !begins_word {
                continue;
            }
            words += 1;
            let rest = name.as_bytes().get(i..).unwrap_or_default();
            let length = rest
                .iter()
                .position(|byte| !byte.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            let first = byte.to_ascii_lowercase();
            let second = rest
                .get(1)
                .filter(|_| length > 1)
                .map_or(0, u8::to_ascii_lowercase);
            // A short word may abbreviate any word of its first letter.
            let may_abbreviate = length <= LONGEST_ABBREVIATION
                && self
                    .letters
                    .get(usize::from(first))
                    .is_some_and(|seen| *seen);
            if may_abbreviate || self.begins(&[first, second]) {
                return true;
            }
        }
        let lower = name.to_ascii_lowercase();
        words == 1
            && names::GLUED_ENDS
                .iter()
                .any(|end| lower.ends_with(end) && self.begins(end.as_bytes()))
    }
}

fn set(seen: &mut [bool], at: Option<usize>) {
    if let Some(slot) = at.and_then(|at| seen.get_mut(at)) {
        *slot = true;
    }
}

fn is_set(seen: &[bool], at: Option<usize>) -> bool {
    at.and_then(|at| seen.get(at)).is_some_and(|seen| *seen)
}

/// The first three bytes in 16 bits; a text that ends before has zeros.
fn first_three(mut bytes: impl Iterator<Item = u8>) -> usize {
    let mut folded = 0_usize;
    for shift in [11, 5, 0] {
        folded ^= usize::from(bytes.next().unwrap_or(0)) << shift;
    }
    folded & 0xFFFF
}

fn first_bytes(key: &[u8]) -> Option<usize> {
    let first = *key.first()?;
    Some(usize::from(first) << 8 | usize::from(key.get(1).copied().unwrap_or(0)))
}
