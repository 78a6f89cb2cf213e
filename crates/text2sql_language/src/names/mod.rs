//! Takes names apart as people read them: `custaddr` is a customer's address, `tblOrdHdr` the header of an
//! order, `gnpold` an old GNP.
//!
//! [`name_reader`] reads a name. It knows English words ([`english_words`]), usual abbreviations
//! ([`abbreviations`]) and the words of the catalog ([`vocabulary`]). `segmentation` cuts words that are
//! written together, `shortening` finds the word that an unusual abbreviation stands for. [`readable`] only
//! splits an identifier into its words. `private` knows names of private data,
//! [`family_keys`] the tables that are named alike.

pub mod abbreviations;
pub mod english_words;
pub mod family_keys;
pub mod name_reader;
mod private;
mod readable;
mod segmentation;
mod shortening;
mod stretch;
pub mod vocabulary;

pub use self::private::private_by_name;
pub use self::readable::{plural, readable, singular};
pub use self::stretch::beginning;
