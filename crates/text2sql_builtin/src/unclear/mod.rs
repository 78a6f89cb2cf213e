//! Wordings that have no single meaning, whatever the grammar makes of them.

pub(crate) mod nothing_named;
pub(crate) mod two_meanings;
