//! Destinations of the rows of an answer: the caller, a cursor, a table or a view.

pub(crate) mod answer_views;
pub(crate) mod cursor;
pub(crate) mod record_set;
pub(crate) mod target;
