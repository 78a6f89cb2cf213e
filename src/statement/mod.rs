//! A statement that the caller hands in to have it explained, planned or optimised.

pub(crate) mod explanation;
pub(crate) mod planner;
pub(crate) mod submitted_sql;
