//! Wordings that are ambiguous before any parsing.

pub(crate) mod nothing_named;
pub(crate) mod two_meanings;
