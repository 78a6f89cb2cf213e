//! A question as tokens, and words as stems, so that "cities" meets "city".

mod stems;
mod tokens;

pub use self::stems::{is_irregular, reduce, stem};
pub use self::tokens::{Token, TokenKind, placed_text, reading, tokenise};
