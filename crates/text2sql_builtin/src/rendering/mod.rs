//! Renders a statement: its SQL and its notes.

pub(crate) mod notes;
