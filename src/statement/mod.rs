//! Statements submitted by the caller to be explained, planned or optimized.

pub(crate) mod explanation;
pub(crate) mod places;
pub(crate) mod planner;
pub(crate) mod reader_language;
pub(crate) mod script_checks;
pub(crate) mod submitted_sql;
pub(crate) mod workload;
