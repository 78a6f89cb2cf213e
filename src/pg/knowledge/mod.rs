//! What was taught, as questions use it: the glossary, and whether taught SQL is still valid.

pub(crate) mod accepted;
pub(crate) mod glossary;
pub(crate) mod judged;
