//! Stored knowledge as used by questions: the glossary, and whether stored SQL is still valid.

pub(crate) mod accepted_sql;
pub(crate) mod glossary;
pub(crate) mod sql_check;
