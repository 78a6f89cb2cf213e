//! Values of the database that a question mentions: looked up by keys (`linking`), then those chosen that the
//! question means (`choice`).

mod choice;
mod linking;
mod sureness;

pub(crate) use self::choice::BEST_TABLES;
pub use self::choice::{Scene, choose, holding, name_key, votes};
pub use self::linking::{
    MAX_VALUE_CHARS, MAX_VALUES, MIN_SIMILARITY, Phrases, keys, literal_keys, look_up,
    meaning_keys, similarity,
};
pub use self::linking::{similarity_of, trigrams};
pub use self::sureness::{Sureness, how_sure, unfound};
