//! Analysis of queries: explanations, findings, reasons for empty results, and optimization. No model is
//! called, and nothing is changed.
#![forbid(unsafe_code)]

pub mod execution_plan;
pub mod explain;
pub mod findings;
pub mod impact;
pub mod lesson;
pub mod mend;
pub mod optimize;
pub mod revision;
pub mod why_empty;
