//! What is looked up beside an answer: ties for the first place, and why nothing was found.

pub mod empty_result;
pub mod ties;
