//! SQL as text2sql reads it. `sqlparser` explains and compares statements; it never decides what may run.
//!
//! [`reader`] is the only caller of the parser, within bounds on length and depth; [`tree`] takes a query
//! apart; [`masking`] hides the constants of a statement.
#![forbid(unsafe_code)]

pub mod masking;
pub mod reader;
pub mod tree;
