//! A filter on the first letters of the spans of a question. It discards most names and stored values of a
//! schema before their keys are computed.

use crate::linking::names;
use text2sql_language::words::{Token, is_irregular};

const MAX_ABBREVIATION_LENGTH: usize = 5;

/// Maximum length in bytes of a value with non-ASCII letters.
const MAX_NON_ASCII_LENGTH: usize = 200;

/// The first bytes of every span of a question.
pub(crate) struct PrefixFilter {
    /// First two bytes.
    pairs: Set,
    /// First byte.
    letters: Set,
    /// First three bytes, of stems too, folded to 16 bits.
    threes: Set,
    /// First two bytes with any third one: words with this stem may differ there.
    any_third: Set,
}

/// The first letters and digits of a stored value, in lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValuePrefix {
    /// No question can contain it.
    Never,
    /// Its first letters do not rule it out.
    Any,
    /// These two bytes.
    Pair(u16),
    /// These two bytes, and three folded to 16 bits.
    Three(u16, u16),
}

impl ValuePrefix {
    /// The prefix of a value.
    pub(crate) fn of(value: &str) -> Self {
        if !value.chars().any(char::is_alphabetic) {
            return Self::Never;
        }
        if !value.is_ascii() {
            return match value.as_bytes() {
                _ if value.len() >= MAX_NON_ASCII_LENGTH => Self::Never,
                [first, second, ..]
                    if first.is_ascii_alphanumeric() && second.is_ascii_alphanumeric() =>
                {
                    let lower = [first, second].map(u8::to_ascii_lowercase);
                    first_bytes(&lower).map_or(Self::Any, Self::Pair)
                }
                _ => Self::Any,
            };
        }
        let mut lower = value
            .bytes()
            .filter(u8::is_ascii_alphanumeric)
            .map(|byte| byte.to_ascii_lowercase());
        let three = first_three(lower.clone());
        let two = [lower.next().unwrap_or(0), lower.next().unwrap_or(0)];
        first_bytes(&two).map_or(Self::Any, |pair| Self::Three(pair, three))
    }
}

/// A set of 16-bit numbers.
struct Set(Vec<u64>);

impl Set {
    fn new() -> Self {
        Self(vec![0; 1 << 10])
    }

    fn add(&mut self, number: impl Into<Option<u16>>) {
        if let Some(number) = number.into()
            && let Some(word) = self.0.get_mut(usize::from(number >> 6))
        {
            *word |= 1 << (number & 63);
        }
    }

    fn has(&self, number: impl Into<Option<u16>>) -> bool {
        number.into().is_some_and(|number| {
            let word = self.0.get(usize::from(number >> 6));
            word.is_some_and(|word| word >> (number & 63) & 1 == 1)
        })
    }
}

impl PrefixFilter {
    /// An empty filter.
    pub(crate) fn new() -> Self {
        Self {
            pairs: Set::new(),
            letters: Set::new(),
            threes: Set::new(),
            any_third: Set::new(),
        }
    }

    /// Adds the normalised text of a span.
    pub(crate) fn add_key(&mut self, key: &str) {
        self.threes.add(first_three(key.bytes()));
        self.pairs.add(first_bytes(key.as_bytes()));
        self.letters.add(key.bytes().next().map(u16::from));
    }

    /// Adds the possible beginnings of words with the token's stem.
    pub(crate) fn add_stem(&mut self, token: &Token) {
        if token.stem.len() < 3 || is_irregular(&token.stem) {
            for text in [&token.stem, &token.lower] {
                self.any_third.add(first_bytes(text.as_bytes()));
            }
        } else {
            self.threes.add(first_three(token.stem.bytes()));
        }
    }

    /// Whether a span of the question begins with these bytes.
    pub(crate) fn begins(&self, word: &[u8]) -> bool {
        self.pairs.has(first_bytes(word))
    }

    /// Whether a stored value with this prefix may occur in the question.
    pub(crate) fn may_hold(&self, beginning: ValuePrefix) -> bool {
        match beginning {
            ValuePrefix::Never => false,
            ValuePrefix::Any => true,
            ValuePrefix::Pair(pair) => self.pairs.has(pair),
            ValuePrefix::Three(pair, three) => {
                self.pairs.has(pair) && (self.threes.has(three) || self.any_third.has(pair))
            }
        }
    }

    /// Whether any key of a name with these initials may occur in the question. This check is cheaper than
    /// looking up every key.
    pub(crate) fn may_name(&self, initials: &Initials) -> bool {
        initials.are_any
            || initials.words.iter().any(|word| {
                (word.may_abbreviate && self.letters.has(word.pair >> 8))
                    || self.pairs.has(word.pair)
            })
    }
}

/// The first letters of the words of a name.
#[derive(Debug, Default)]
pub(crate) struct Initials {
    words: Vec<Initial>,
    /// The name is not ASCII, so it is not compared.
    are_any: bool,
}

#[derive(Debug)]
struct Initial {
    pair: u16,
    /// A short word may abbreviate any word of its first letter.
    may_abbreviate: bool,
}

impl Initials {
    /// The initials of a name.
    pub(crate) fn of(name: &str) -> Self {
        let mut initials = Self {
            are_any: !name.is_ascii(),
            ..Self::default()
        };
        let mut previous = b'_';
        for (i, &byte) in name.as_bytes().iter().enumerate() {
            let begins_word = byte.is_ascii_alphanumeric()
                && (!previous.is_ascii_alphanumeric()
                    || (byte.is_ascii_uppercase() && !previous.is_ascii_uppercase()));
            previous = byte;
            if !begins_word {
                continue;
            }
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
            initials.words.push(Initial {
                pair: u16::from(first) << 8 | u16::from(second),
                may_abbreviate: length <= MAX_ABBREVIATION_LENGTH,
            });
        }
        let lower = name.to_ascii_lowercase();
        if initials.words.len() == 1 {
            let ends = names::GLUED_ENDS.iter().filter(|end| lower.ends_with(*end));
            let pairs = ends.filter_map(|end| first_bytes(end.as_bytes()));
            initials.words.extend(pairs.map(|pair| Initial {
                pair,
                may_abbreviate: false,
            }));
        }
        initials
    }
}

/// The first three bytes in 16 bits; a text that ends before has zeros.
fn first_three(mut bytes: impl Iterator<Item = u8>) -> u16 {
    let mut folded = 0_u16;
    for shift in [11, 5, 0] {
        folded ^= u16::from(bytes.next().unwrap_or(0)) << shift;
    }
    folded
}

fn first_bytes(key: &[u8]) -> Option<u16> {
    let first = *key.first()?;
    Some(u16::from(first) << 8 | u16::from(key.get(1).copied().unwrap_or(0)))
}
