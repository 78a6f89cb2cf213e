//! Wordings that are ambiguous before any parsing, and nouns of several tables.

pub(crate) mod nothing_named;
pub(crate) mod several_holders;
pub(crate) mod two_meanings;
