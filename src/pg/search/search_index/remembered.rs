//! Answers of the index that the session keeps until the index changes: a repeated question, or a repeated word,
//! need not search by trigrams or vectors again.
//!
//! Only what does not depend on a role is kept, so it needs no role in its key: keys and words of the index, which
//! are searched for and never shown, and ids of definitions and examples, which are read as the role that asks.
//! Values, tables and privileges are looked up each time.

use std::cell::RefCell;
use std::collections::HashMap;

use text2sql_domain::error::Error;
use text2sql_domain::ports::search_index::{Near, NearWord};

/// Maximum number of bytes that are kept. A vector takes two kilobytes, a list of keys some hundred bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// What was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Search {
    /// Stored keys that are spelled like this one.
    Keys(String),
    /// Words that are spelled like this one, and how many.
    Spelling(String, usize),
    /// Words near this vector, and how many.
    Meaning(Box<[u32]>, usize),
    /// Definitions or examples near this vector, and how many.
    Items(char, Box<[u32]>, usize),
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Found {
    /// Words or keys with their similarity.
    Words(Vec<NearWord>),
    /// Definitions or examples.
    Items(Vec<Near>),
}

#[derive(Default)]
struct Kept {
    /// The state of the index.
    index: String,
    /// The state of definitions and examples in it.
    knowledge: String,
    found: HashMap<Search, Found>,
    bytes: usize,
}

thread_local! {
    /// Never borrowed while a query runs: a query may raise.
    static KEPT: RefCell<Kept> = RefCell::default();
}

impl Search {
    /// A vector as part of a search: its exact bits.
    pub(super) fn bits(vector: &[f32]) -> Box<[u32]> {
        vector.iter().map(|number| number.to_bits()).collect()
    }

    fn is_of_knowledge(&self) -> bool {
        matches!(self, Self::Items(..))
    }

    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Keys(word) | Self::Spelling(word, _) => word.len(),
                Self::Meaning(bits, _) | Self::Items(_, bits, _) => size_of_val(&**bits),
            }
    }
}

impl Found {
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Words(words) => words
                    .iter()
                    .map(|near| size_of::<NearWord>() + near.word.len())
                    .sum(),
                Self::Items(items) => size_of_val(items.as_slice()),
            }
    }
}

/// Forgets what was found in another state of the index.
pub(super) fn prepare(index: &str, knowledge: &str) {
    KEPT.with_borrow_mut(|kept| {
        if kept.index != index {
            *kept = Kept {
                index: index.to_owned(),
                knowledge: knowledge.to_owned(),
                ..Kept::default()
            };
        } else if kept.knowledge != knowledge {
            kept.found.retain(|search, _| !search.is_of_knowledge());
            knowledge.clone_into(&mut kept.knowledge);
        }
    });
}

/// What the search found, if it is kept. After [`prepare`].
pub(super) fn found(search: &Search) -> Option<Found> {
    KEPT.with_borrow(|kept| kept.found.get(search).cloned())
}

/// The words that the search found, if they are kept. After [`prepare`].
pub(super) fn words(search: &Search) -> Option<Vec<NearWord>> {
    match found(search)? {
        Found::Words(words) => Some(words),
        Found::Items(_) => None,
    }
}

/// Keeps what a search found.
pub(super) fn keep(search: Search, found: Found) {
    KEPT.with_borrow_mut(|kept| {
        let bytes = search.bytes() + found.bytes();
        if kept.bytes + bytes > MAX_BYTES {
            kept.found.clear();
            kept.bytes = 0;
        }
        kept.bytes += bytes;
        kept.found.insert(search, found);
    });
}

#[cfg(feature = "pg_test")]
#[pgrx::pg_schema]
mod tests {
    use pgrx::prelude::*;

    use super::*;

    fn keys(word: &str) -> Search {
        Search::Keys(word.to_owned())
    }

    fn near(word: &str) -> Found {
        Found::Words(vec![NearWord {
            word: word.to_owned(),
            similarity: 0.5,
        }])
    }

    #[pg_test]
    fn what_was_found_is_kept_until_the_index_changes() {
        let items = || Search::Items('d', Search::bits(&[0.5, 1.0]), 20);
        prepare("one", "a");
        keep(keys("berlim"), near("berlin"));
        keep(items(), Found::Items(Vec::new()));
        prepare("one", "a");
        assert_eq!(found(&keys("berlim")), Some(near("berlin")));
        assert_eq!(found(&items()), Some(Found::Items(Vec::new())));
        assert_eq!(
            found(&Search::Items('e', Search::bits(&[0.5, 1.0]), 20)),
            None
        );
        prepare("one", "b");
        assert_eq!(found(&keys("berlim")), Some(near("berlin")));
        assert_eq!(found(&items()), None);
        prepare("two", "b");
        assert_eq!(found(&keys("berlim")), None);
    }

    #[pg_test]
    fn it_is_bounded() {
        prepare("bounded", "");
        for number in 0..20_000 {
            keep(keys(&number.to_string()), near(&"x".repeat(100)));
        }
        let (count, bytes) = KEPT.with_borrow(|kept| (kept.found.len(), kept.bytes));
        assert!(
            count > 0 && count < 20_000 && bytes <= MAX_BYTES,
            "{count} {bytes}"
        );
    }
}

/// What each search found: of those that the session does not remember, by `search`, which gets their places and
/// returns a list for each.
pub(super) fn with_remembered(
    searches: Vec<Search>,
    search: impl FnOnce(&[usize]) -> Result<Vec<Vec<NearWord>>, Error>,
) -> Result<Vec<Vec<NearWord>>, Error> {
    let known: Vec<Option<Vec<NearWord>>> = searches.iter().map(words).collect();
    let places = known.iter().enumerate();
    let new: Vec<usize> = places
        .filter(|(_, known)| known.is_none())
        .map(|(place, _)| place)
        .collect();
    let mut found = match new.is_empty() {
        true => Vec::new(),
        false => search(&new)?,
    }
    .into_iter();
    let all = searches.into_iter().zip(known).map(|(search, known)| {
        known.unwrap_or_else(|| {
            let words = found.next().unwrap_or_default();
            keep(search, Found::Words(words.clone()));
            words
        })
    });
    Ok(all.collect())
}
