//! Additional queries about an answer: ties for the first place, and the cause of an empty result.

pub mod empty_result;
pub mod ties;
