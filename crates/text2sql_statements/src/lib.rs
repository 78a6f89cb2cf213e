//! What a model and stored examples add to the analysis of a statement: a summary of its steps, similar verified
//! examples, and rewrites. Each is checked against the analysis, and what fails the check is not shown.
#![forbid(unsafe_code)]

pub mod explanation;
pub mod model_rewrites;
