//! German questions in the English words of the grammar.

mod translation;
mod vocabulary;

pub use self::translation::tokenise;
pub use self::vocabulary::{ENGLISH_MARKS, MARKS};
