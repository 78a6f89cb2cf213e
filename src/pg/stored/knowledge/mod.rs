//! Stored knowledge as used by questions: the glossary, the owner's instructions and prompt templates, and whether
//! stored SQL is still valid.

pub(crate) mod example_validity;
pub(crate) mod glossary;
pub(crate) mod instructions;
pub(crate) mod prompts;
pub(crate) mod stored_sql;
