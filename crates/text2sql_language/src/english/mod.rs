//! English: the words of the grammar, and phrases for sentences.

pub mod lexicon;
mod phrases;
mod verbs;

pub use self::phrases::{
    Nouns, article, capitalise, counted, first_rows, join_phrases, nouns, rows_of, shorten,
};
pub use self::verbs::verb_root;
