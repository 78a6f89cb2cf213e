//! One question to one proposal: SQL, a question back, or why there is no answer.

pub(crate) mod decline;
pub(crate) mod readings;
pub(crate) mod statement;
