//! The parts of a statement as text: its SQL, its sentence, and what the engine says in German.

pub(crate) mod german_messages;
pub(crate) mod notes;
pub(crate) mod sentence;
pub(crate) mod sql;
