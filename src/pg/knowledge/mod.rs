//! What was taught, as questions use it: the glossary, and whether taught SQL is still valid.

pub(crate) mod accepted_sql;
pub(crate) mod glossary;
pub(crate) mod sql_check;
