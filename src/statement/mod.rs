//! A statement that the caller hands in to have it explained, planned or optimised.

pub(crate) mod explanation;
pub(crate) mod given;
pub(crate) mod planner;
