//! Renders a statement: its SQL, its notes, and German translations of messages.

pub(crate) mod german_messages;
pub(crate) mod notes;
pub(crate) mod sql;
