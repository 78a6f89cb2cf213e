//! Stored knowledge as used by questions: the glossary, and whether stored SQL is still valid.

pub(crate) mod example_validity;
pub(crate) mod glossary;
pub(crate) mod stored_sql;
