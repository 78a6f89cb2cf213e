//! Replies, SQL and questions made to do harm. An overflow of the stack ends the whole program, so they are by themselves.

#[path = "../../../../fuzz/src/checks.rs"]
mod checks;
mod fuzzing;
mod hostile_keywords;
mod hostile_sql;
