//! From a question to a proposal: SQL, a question back, or the reason why there is no answer.

pub(crate) mod decline;
pub(crate) mod readings;
pub(crate) mod statement;
