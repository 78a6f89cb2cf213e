//! Renders a statement: its SQL and its notes.

pub(crate) mod notes;
pub(crate) mod sql;
