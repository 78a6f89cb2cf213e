//! What people and models learn from.
//!
//! [`exercises`] are for people: questions with a hidden query, and the mark of an attempt. [`training_data`] is for
//! models: verified examples as the lines of a training file. Nothing here asks a model or runs a query.
#![forbid(unsafe_code)]

pub mod exercises;
mod stable_hash;
pub mod training_data;
