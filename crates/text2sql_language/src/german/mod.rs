//! German questions in the English words of the grammar.

pub mod nouns;
pub mod proper_names;
mod translation;
mod vocabulary;

pub(crate) use self::translation::{in_words_of_grammar, words_of_grammar};
pub use self::vocabulary::{ENGLISH_MARKS, MARKS, listed_words};
