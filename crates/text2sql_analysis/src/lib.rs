//! What a query does, what may be wrong with it, why it gives no rows, and how it could be faster. No model is
//! asked, and nothing is changed.
#![forbid(unsafe_code)]

pub mod execution_plan;
pub mod explain;
pub mod findings;
pub mod optimize;
pub mod revision;
pub mod why_empty;
