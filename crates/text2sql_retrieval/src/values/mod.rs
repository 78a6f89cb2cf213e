//! Values of the database that a question mentions.

mod linking;

pub use self::linking::{
    MAX_VALUE_CHARS, MIN_SIMILARITY, keys, link, literal_keys, look_up, meaning_keys, phrases,
    similarity,
};
