//! Replies, SQL and questions made to do harm. An overflow of the stack ends the whole program, so they are by themselves.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on fails"
)]

#[path = "../../../../fuzz/src/checks.rs"]
mod checks;
mod fuzzing;
mod hostile_keywords;
mod hostile_sql;
